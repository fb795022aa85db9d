import type { DataIssueName } from '#server/data-quality/data-issue.ts'
import { type DataIssue, titleOfIssue } from '#server/deals/data-issue-kind.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from '#server/deals/policy.ts'

const abouts: Record<DataIssue, string> = {
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

/** The title of each issue, and what to do about it. */
export const issueLabels: Record<DataIssueName, { title: string; about: string }> = {
  ...(Object.fromEntries(
    Object.entries(abouts).map(([issue, about]) => [
      issue,
      { title: titleOfIssue(issue as DataIssue), about },
    ]),
  ) as Record<DataIssue, { title: string; about: string }>),
  sameAddress: {
    title: 'Several deals at one address',
    about: 'The same deal may have been entered twice.',
  },
}

/** Returns whether the text names an issue. */
export const isDataIssue = (text: string): text is DataIssueName => Object.hasOwn(issueLabels, text)
