/** One session as a rule sees it: bytes, and when. */
export interface SeenSession {
  bytes: number;
  hours: number;
  isKilled: boolean;
}

// The defaults of the recommender of Kubernetes' Vertical Pod Autoscaler (pkg/recommender/model).
const halfLifeHours = 24;
const firstBucketBytes = 1e7;
const bucketGrowth = 1.05;
const targetShare = 0.9;
const safetyMargin = 1.15;
const bumpRatio = 1.2;
const leastBumpBytes = 100 * 2 ** 20;

/**
 * The memory target of the VPA: the end of the bucket in which the 90th percentile of a decaying
 * histogram of peaks lies, plus 15 %. A peak of a container that was killed counts as 20 % or 100 MiB
 * more, whichever is more. One peak a session, where the real one takes one a day: it sees more here.
 */
export function vpaTarget(sessions: readonly SeenSession[]): number {
  const weights: number[] = [];
  let total = 0;
  for (const { bytes, hours, isKilled } of sessions) {
    const peak = isKilled ? Math.max(bytes * bumpRatio, bytes + leastBumpBytes) : bytes;
    const weight = 2 ** (hours / halfLifeHours);
    const bucket = bucketOf(peak);
    weights[bucket] = (weights[bucket] ?? 0) + weight;
    total += weight;
  }
  let sum = 0;
  let bucket = 0;
  for (; bucket < weights.length - 1; bucket++) {
    sum += weights[bucket] ?? 0;
    if (sum >= targetShare * total) break;
  }
  return safetyMargin * bucketStart(bucket + 1);
}

/** The largest that was ever seen, plus a fifth. */
export function maximumPlusFifth(sessions: readonly SeenSession[]): number {
  return 1.2 * Math.max(...sessions.map(({ bytes }) => bytes));
}

// Bucket n begins at the sum of the widths before it, each 5 % more than the one before.
function bucketStart(bucket: number): number {
  return (firstBucketBytes * (bucketGrowth ** bucket - 1)) / (bucketGrowth - 1);
}

function bucketOf(bytes: number): number {
  const ratio = (bytes * (bucketGrowth - 1)) / firstBucketBytes + 1;
  return Math.floor(Math.log(ratio) / Math.log(bucketGrowth));
}
