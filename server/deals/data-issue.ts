import { isOutsideState } from '../values/states.ts'
import { dayMs } from '../values/units.ts'
import {
  type DataIssue,
  dataIssues,
  fieldsOfIssue,
  isImplausibleAmount,
  isImplausibleAmountText,
  isImplausiblePhone,
  isImplausibleSize,
  isImplausibleState,
  isImplausibleZip,
  implausibleDatesOf,
} from './data-issue-rules.ts'
import type { DealField, DealRecord, KnownDeal } from './deal.ts'
import { fold } from './search-text.ts'
import { stepsOf } from './status.ts'

const installedBit = stepsOf(['install'])

/** Returns which fields of this deal cause the issue. */
export const implausibleFieldsOf = (issue: DataIssue, deal: KnownDeal | DealRecord, now: Date): DealField[] =>
  issue === 'dateOutOfRange' ? implausibleDatesOf(deal, now) : fieldsOfIssue(issue)

/** Returns a deal's data issues. Deals with issues can still be imported. */
export function dataIssuesOf(
  deal: KnownDeal | DealRecord,
  now: Date,
  { isStageBehind, done }: { isStageBehind: boolean; done: number } = { isStageBehind: false, done: 0 },
): DataIssue[] {
  const { installCompleted, installComplete, permitReceived, permitSubmitted } = deal
  const [systemSize, state] = [deal.systemSize ?? '', deal.state ?? '']
  const hasDataIssue: Record<DataIssue, boolean> = {
    // The install also counts as done if the stage or a later date implies so, as on the overview page.
    installWithoutDate: (installCompleted === true || (done & installedBit) !== 0) && installComplete == null,
    permitBeforeSubmission: isBefore(permitReceived, permitSubmitted),
    sizeIsNoNumber: systemSize.trim() !== '' && !isNumber(systemSize),
    outsideState: isOutsideState(deal.coordinates ?? '', state),
    amountOutOfRange: isImplausibleAmount(deal.amount ?? 0) || isImplausibleAmountText(deal.loanAmount ?? ''),
    sizeOutOfRange: isImplausibleSize(systemSize),
    malformedZip: isImplausibleZip(deal.zipCode ?? ''),
    unknownState: isImplausibleState(state),
    dateOutOfRange: implausibleDatesOf(deal, now).length > 0,
    phoneLength: isImplausiblePhone(deal.primaryPhone ?? ''),
    stageBehindDates: isStageBehind,
  }
  return dataIssues.filter((issue) => hasDataIssue[issue])
}

/**
 * Returns true if a time is before another in every time zone. A date without a time is stored as midnight
 * UTC, but may be up to a day later.
 */
function isBefore(time: string | null | undefined, other: string | null | undefined): boolean {
  if (time == null || other == null) return false
  const [ms, otherMs] = [Date.parse(time), Date.parse(other)]
  const areAlike = (ms % dayMs === 0) === (otherMs % dayMs === 0)
  return ms < otherMs - (areAlike ? 0 : dayMs)
}

/** Returns true if a system size is a number of kilowatts, with or without a unit. */
const isNumber = (size: string) => /^\d{1,9}(?:\.\d{1,9})? ?(?:kw|kwp|kwdc)?$/i.test(size.trim().slice(0, 40))

const shortened: Record<string, string> = {
  street: 'st',
  avenue: 'ave',
  road: 'rd',
  drive: 'dr',
  lane: 'ln',
  court: 'ct',
  place: 'pl',
  boulevard: 'blvd',
  circle: 'cir',
  terrace: 'ter',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
  apartment: 'apt',
}

// Maximum length of a part of an address; longer than in any real address.
const partMax = 200

/**
 * Returns a hash that is equal for deals at the same street address, regardless of case, punctuation and
 * abbreviations. Returns null if the address is incomplete.
 */
export function addressKeyOf({
  streetAddress,
  zipCode,
  city,
  state,
}: Pick<KnownDeal | DealRecord, 'streetAddress' | 'zipCode' | 'city' | 'state'>): number | null {
  const wordsOf = (text: string | null | undefined) =>
    fold((text ?? '').slice(0, partMax)).match(/[\p{L}\p{N}]+/gu) ?? []
  const street = wordsOf(streetAddress).map((word) => shortened[word] ?? word)
  const zip = /^\s*(\d{5})/.exec(zipCode ?? '')?.[1]
  const place = zip ?? [...wordsOf(city), '/', ...wordsOf(state)].join(' ')
  const isComplete =
    street.some((word) => /\d/.test(word)) && street.length > 1 && (zip !== undefined || place.length > 3)
  return isComplete ? hashOf(`${street.join(' ')}|${place}`) : null
}

/** Returns a 53-bit hash of a string (cyrb53, public domain). Not suitable for secrets. */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return 4_294_967_296 * (b & 0x1fffff) + (a >>> 0)
}
