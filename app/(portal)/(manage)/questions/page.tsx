import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { questionFilter, readQuestionQuery } from './query.ts'
import { QuestionsPage } from './questions-page.tsx'

export const metadata: Metadata = { title: 'Questions' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filter = questionFilter(await readQuestionQuery(searchParams))
  return prefetched(
    '/questions',
    ({ messages }) =>
      Promise.all([
        messages.questions.fetchInfinite(filter),
        messages.openCount.fetch(),
        messages.askers.fetch(),
        messages.replies.fetch(),
        messages.reminder.fetch(),
      ]),
    <QuestionsPage />,
  )
}
