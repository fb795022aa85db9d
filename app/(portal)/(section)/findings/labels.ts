import type { FindingName } from '#server/findings/finding.ts'

/** The title of each finding, and what to do about it. */
export const findingLabels: Record<FindingName, { title: string; about: string }> = {
  installWithoutDate: {
    title: 'Install completed without a date',
    about: 'The install is marked completed but has no date.',
  },
  permitBeforeSubmission: {
    title: 'Permit received before it was submitted',
    about: 'One of the two dates is wrong.',
  },
  sizeIsNoNumber: {
    title: 'System size is not a number',
    about: 'Filters and totals ignore this size.',
  },
  outsideState: {
    title: 'Coordinates outside the state',
    about: 'Either the coordinates or the state are wrong. Latitude comes first.',
  },
  stageBehindDates: {
    title: 'Stage is behind the dates',
    about: 'The dates say that the deal is further than its stage. The portal goes by the dates.',
  },
  sameAddress: {
    title: 'Several deals at one address',
    about: 'The same deal may have been entered twice.',
  },
}

/** Returns whether the text names a finding. */
export const isFinding = (text: string): text is FindingName => Object.hasOwn(findingLabels, text)
