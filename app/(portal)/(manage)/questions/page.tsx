import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { questionFilter, readQuestionQuery } from './query.ts'
import { QuestionsPage } from './questions-page.tsx'

export const metadata: Metadata = { title: 'Questions' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filter = questionFilter(await readQuestionQuery(searchParams))
  const state = await prefetch('/questions', ({ messages }) =>
    Promise.all([
      messages.questions.fetchInfinite(filter),
      messages.openCount.fetch(),
      messages.askers.fetch(),
      messages.replies.fetch(),
      messages.reminder.fetch(),
    ]),
  )
  return (
    <Prefetched state={state}>
      <QuestionsPage />
    </Prefetched>
  )
}
