import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { questionFilter, questionsQuery } from './query.ts'
import { QuestionsPage } from './questions-page.tsx'

export const metadata: Metadata = { title: 'Questions' }

export default queryPage(
  questionsQuery,
  ({ messages }, query) =>
    Promise.all([
      messages.questions.fetchInfinite(questionFilter(query)),
      messages.openCount.fetch(),
      messages.askers.fetch(),
      messages.replies.fetch(),
      messages.reminder.fetch(),
    ]),
  <QuestionsPage />,
)
