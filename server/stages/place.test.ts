import { describe, expect, test } from 'vitest'
import { placeOfWords } from './place.ts'

describe("the position implied by a stage's name", () => {
  test.each([
    ['Site Survey', 'survey'],
    ['Survey Completed', 'cad'],
    ['CAD Design', 'cad'],
    ['Design Review', 'cad'],
    ['Design Approved', 'engineering'],
    ['Engineering', 'engineering'],
    ['NTP Review', 'ntp'],
    ['Notice to Proceed Approved', 'ntpApproved'],
    ['HOA Approval', 'hoa'],
    ['Permit Preparation', 'permitSubmission'],
    ['Permit to be submitted', 'permit'],
    ['permit_submitted', 'permit'],
    ['Permit Received', 'install'],
    ['Ready for install', 'install'],
    ['Install Scheduled', 'install'],
    ['Installed', 'installed'],
    ['Install Complete', 'installed'],
    ['Inspection', 'inspection'],
    ['Inspection Passed', 'funding'],
    ['Awaiting inspection to be passed', 'inspection'],
    ['Funding', 'funding'],
    ['Funding Submitted', 'm2'],
    ['M2 Approval', 'm2'],
    ['M2 Approved', 'payment'],
    ['Awaiting PTO', 'pto'],
    ['PTO Granted', 'payment'],
    ['Awaiting P.T.O.', 'pto'],
  ])('for %s is %s', (name, place) => expect(placeOfWords(name)).toBe(place))

  test.each(['', 'New', 'In Progress', 'Sold', ' '.repeat(10_000), 'x'.repeat(100_000)])(
    'is null for other names',
    (name) => expect(placeOfWords(name)).toBeNull(),
  )
})
