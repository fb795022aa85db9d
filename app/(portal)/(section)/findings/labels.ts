import { type DealFinding, titleOfFinding } from '#server/deals/finding-kind.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from '#server/deals/policy.ts'
import type { FindingName } from '#server/findings/finding.ts'

const abouts: Record<DealFinding, string> = {
  installWithoutDate: 'The install is marked completed but has no date.',
  permitBeforeSubmission: 'One of the two dates is wrong.',
  sizeIsNoNumber: 'Filters and totals ignore this size.',
  outsideState: 'Either the coordinates or the state are wrong. Latitude comes first.',
  amountOutOfRange: `Below zero or above $${amountMax.toLocaleString('en-US')}, perhaps in cents.`,
  sizeOutOfRange: `Zero or above ${sizeMaxKw.toLocaleString('en-US')} kW, perhaps in watts.`,
  malformedZip: 'A ZIP code has five digits, or nine as in 85007-1234.',
  unknownState: 'Not a state of the United States, by code or name.',
  dateOutOfRange: `Before ${firstYear} or more than ${yearsAhead} years ahead.`,
  stageBehindDates: 'The dates say that the deal is further than its stage. The portal goes by the dates.',
  phoneLength: 'A phone number has ten digits, or begins with + and the code of its country.',
}

/** The title of each finding, and what to do about it. */
export const findingLabels: Record<FindingName, { title: string; about: string }> = {
  ...(Object.fromEntries(
    Object.entries(abouts).map(([finding, about]) => [
      finding,
      { title: titleOfFinding(finding as DealFinding), about },
    ]),
  ) as Record<DealFinding, { title: string; about: string }>),
  sameAddress: {
    title: 'Several deals at one address',
    about: 'The same deal may have been entered twice.',
  },
}

/** Returns whether the text names a finding. */
export const isFinding = (text: string): text is FindingName => Object.hasOwn(findingLabels, text)
