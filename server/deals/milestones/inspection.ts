/** Returns whether the result of an inspection, which is free text, says that it failed. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

/** The fields that say how an inspection went. */
type Inspected = 'inspectionResults' | 'reInspectionResults' | 'reInspectionRequested'

/**
 * Returns the result of the last inspection; a requested re-inspection without a result means a failure. Null
 * without an inspection.
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
