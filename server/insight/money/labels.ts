import type { ExpectedName, Period } from './expectation.ts'

/** The label of each period. */
export const periodLabels: Record<Period, string> = {
  overdue: 'Overdue',
  thisWeek: 'This week',
  nextWeek: 'Next week',
  laterThisMonth: 'Later this month',
  nextMonth: 'Next month',
  after: 'After',
}

/** The label of each expectation and its starting date. */
export const expectedLabels: Record<ExpectedName, { label: string; from: string }> = {
  m1: { label: 'M1', from: 'creation' },
  install: { label: 'Install', from: 'NTP approval' },
  submission: { label: 'Funding submission', from: 'install' },
  payment: { label: 'Payment', from: 'funding submission' },
}
