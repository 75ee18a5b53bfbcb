import type { Message } from "./field.ts";
import { asInteger, asNumber, integerField, listField, messageField } from "./field.ts";

export interface Buckets {
  /** Upper bounds, rising; the last bucket has none, so there is one bound less than there are counts. */
  readonly bounds: readonly number[];
  readonly bucketCounts: readonly number[];
}

export function explicitBuckets(point: Message): Buckets {
  return {
    bounds: listField(point, "explicitBounds").map((bound) => asNumber(bound, "explicitBounds")),
    bucketCounts: counts(point),
  };
}

/**
 * An exponential histogram's buckets with their bounds written out, so that both kinds of histogram are read alike. With
 * `base` = 2^(2^-scale) a bucket `i` of the positive ones lies above base^i and up to base^(i+1); the negative ones mirror it.
 */
export function exponentialBuckets(point: Message): Buckets {
  const base = 2 ** (2 ** -Number(integerField(point, "scale")));
  const positive = side(messageField(point, "positive"), base);
  const negative = side(messageField(point, "negative"), base);
  const zeroCount = Number(integerField(point, "zeroCount"));
  return {
    bounds: [...negative.bounds.map((bound) => -bound).toReversed(), ...positive.bounds],
    bucketCounts: [
      ...(negative.bounds.length > 0 ? [0, ...negative.bucketCounts.toReversed()] : []),
      zeroCount,
      ...(positive.bounds.length > 0 ? [...positive.bucketCounts, 0] : []),
    ],
  };
}

function side(buckets: Message, base: number): Buckets {
  const bucketCounts = counts(buckets);
  const offset = Number(integerField(buckets, "offset"));
  const bounds = [...bucketCounts, 0].map((_, index) => base ** (offset + index));
  return bucketCounts.length > 0 ? { bounds, bucketCounts } : { bounds: [], bucketCounts };
}

function counts(message: Message): readonly number[] {
  return listField(message, "bucketCounts").map((count) => Number(asInteger(count, "bucketCounts")));
}
