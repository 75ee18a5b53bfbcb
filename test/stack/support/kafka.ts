import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { type Program, programPath, scratch, startProgram } from "./program.ts";

export interface Kafka extends Program {
  /** `127.0.0.1:PORT`. */
  readonly broker: string;
}

/** One real broker, alone; topics are made when first written to. */
export async function startKafka(partitions: number): Promise<Kafka> {
  const [port, controller] = await Promise.all([freePort(), freePort()]);
  const folder = scratch();
  const file = join(folder, "server.properties");
  const properties = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": join(folder, "data"),
    "num.partitions": partitions,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "group.initial.rebalance.delay.ms": 0,
  };
  writeFileSync(
    file,
    Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(""),
  );
  const java = ["-Xmx384m", "-cp", join(programPath("kafka"), "*")];
  const id = Buffer.from(randomUUID().replaceAll("-", ""), "hex").toString("base64url");
  execFileSync("java", [...java, "kafka.tools.StorageTool", "format", "-t", id, "-c", file], { stdio: "ignore" });
  const program = await startProgram({
    command: "java",
    args: [...java, "kafka.Kafka", file],
    ready: () => listens(port),
  });
  return { ...program, broker: `127.0.0.1:${port}` };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
