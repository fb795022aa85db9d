/** Returns whether the result of an inspection, which is free text, says that it failed. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

/** The fields that say how an inspection went. */
type Inspected = 'inspectionResults' | 'reInspectionResults' | 'reInspectionRequested'

/**
 * Returns how the last inspection went: a re-inspection that was asked for and has no result means that the one before
 * failed. Null when there was none yet.
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
