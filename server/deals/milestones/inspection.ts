/** Returns whether an inspection result, which is free text, means that it failed. */
export const isFailure = (result: string | null) => /^\s*fail/i.test(result ?? '')

/** The fields with inspection results. */
type Inspected = 'inspectionResults' | 'reInspectionResults' | 'reInspectionRequested'

/**
 * Returns the last inspection result; a requested re-inspection without a result means a failure. Null
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
