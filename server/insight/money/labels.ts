import type { ExpectedName, Period } from './expectation.ts'

export const periodLabels: Record<Period, string> = {
  overdue: 'Overdue',
  thisWeek: 'This week',
  nextWeek: 'Next week',
  laterThisMonth: 'Later this month',
  nextMonth: 'Next month',
  after: 'After',
}

export const expectedLabels: Record<ExpectedName, string> = {
  m1: 'M1',
  install: 'Install',
  submission: 'Funding submission',
  payment: 'Payment',
}
