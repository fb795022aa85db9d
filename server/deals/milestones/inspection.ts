/** Returns true if an inspection result, which is free text, means that the inspection failed. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

/** The fields that record inspection results. */
type Inspected = 'inspectionResults' | 'reInspectionResults' | 'reInspectionRequested'

/**
 * Returns the outcome of the last inspection, or null if there was none. If a re-inspection was requested and
 * has no result yet, the inspection failed.
 */
export function inspectionOutcome({
  inspectionResults,
  reInspectionResults,
  reInspectionRequested,
}: { [Name in Inspected]?: string | null }): 'passed' | 'failed' | null {
  if (reInspectionResults) return isFailure(reInspectionResults) ? 'failed' : 'passed'
  if (reInspectionRequested != null) return 'failed'
  if (!inspectionResults) return null
  return isFailure(inspectionResults) ? 'failed' : 'passed'
}
