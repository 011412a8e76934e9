/**
 * The mergeable distribution behind every percentile: a base-2 exponential histogram, the same as
 * OpenTelemetry's (data model, "ExponentialHistogram"), with exact weight, sum, minimum and maximum.
 */
export class Sketch {
  /** Adds a finite value ≥ 0 with an integer weight ≥ 1. */
  add(_value: number, _weight = 1): void {
    throw new Error('being written');
  }
}
