'use client'

import { MessagesSquare } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useEffect, useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListState, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { Question } from '#server/messages/questions/store.ts'
import { ThreadView, messagesRefetchMs } from '../../deals/[id]/questions/thread-view.tsx'
import { holderLabels } from '../../deals/money-labels.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { questionFilter, questionParsers } from './query.ts'
import { Reminder } from './reminder.tsx'
import { InsertReply, SavedReplies } from './saved-replies.tsx'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'answered', label: 'Answered' },
  { value: 'resolved', label: 'Resolved' },
] as const

/** Shows the questions of all partners, and answers them. */
export function QuestionsPage() {
  const [query, setQuery] = useQueryStates(questionParsers)
  const { seesAllPartners } = useViewer()
  const title = useRef<HTMLHeadingElement>(null)
  const cards = useRef<HTMLUListElement>(null)
  const list = useList(
    trpc.messages.questions.useInfiniteQuery(questionFilter(query), {
      ...pageByPage,
      refetchInterval: messagesRefetchMs,
    }),
    ({ questions }) => questions,
  )
  return (
    <>
      <PageHead
        title="Questions"
        titleRef={title}
        about="What partners ask about their deals. The oldest open question comes first."
      >
        <SavedReplies />
      </PageHead>
      <Filters query={query} isPartnerShown={seesAllPartners} onChange={(patch) => void setQuery(patch)} />
      <ListState
        what="questions"
        list={list}
        empty={
          <Notice icon={MessagesSquare} title={query.state === 'open' ? 'No open questions' : 'No questions'}>
            {query.state === 'open' ? 'Every question has an answer.' : 'Try another state or partner.'}
          </Notice>
        }
      >
        {(questions) => (
          <ul
            ref={cards}
            tabIndex={-1}
            aria-label="Questions"
            className="flex flex-col gap-3 rounded-xl outline-offset-4"
          >
            {questions.map((question) => (
              <QuestionCard
                key={question.id}
                question={question}
                nowMs={list.nowMs}
                isOpen={query.state === 'open'}
                isPartnerShown={seesAllPartners}
                onAnswered={() => (cards.current ?? title.current)?.focus()}
              />
            ))}
          </ul>
        )}
      </ListState>
      <Reminder />
    </>
  )
}

interface QuestionQuery {
  state: (typeof states)[number]['value']
  of: string | null
}

function Filters({
  query,
  isPartnerShown,
  onChange,
}: {
  query: QuestionQuery
  isPartnerShown: boolean
  onChange: (patch: Partial<QuestionQuery>) => void
}) {
  const { data: askers = [] } = trpc.messages.askers.useQuery()
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <SelectField
        label="State"
        choices={states}
        value={query.state}
        onChange={({ target }) => onChange({ state: target.value as QuestionQuery['state'] })}
      />
      {isPartnerShown && (
        <SelectField
          label="Partner"
          choices={[
            { value: '', label: 'Any partner' },
            ...askers.map(({ slug, name }) => ({ value: slug, label: name })),
          ]}
          value={query.of ?? ''}
          onChange={({ target }) => onChange({ of: target.value || null })}
        />
      )}
    </div>
  )
}

function QuestionCard({
  question,
  nowMs,
  isOpen,
  isPartnerShown,
  onAnswered,
}: {
  question: Question
  nowMs: number
  isOpen: boolean
  isPartnerShown: boolean
  onAnswered: () => void
}) {
  const [isShown, setShown] = useState(false)
  // An answered question leaves the list, along with the focused field.
  const leave = useRef(() => {})
  leave.current = isShown ? onAnswered : () => {}
  useEffect(() => () => leave.current(), [])
  const { formatAgo, formatDuration, formatInstant } = useFormat()
  const { id, dealId, dealName, text, since } = question
  const show = isOpen ? 'Answer' : 'Show'
  const time = since.toISOString()
  return (
    <li className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h2 className="min-w-0 font-semibold wrap-anywhere">
          <Link href={`/deals/${dealId}?thread=${id}`} className="hover:underline">
            {dealName}
          </Link>
        </h2>
        <time dateTime={time} title={formatInstant(time)} className="text-ink-soft">
          {isOpen ? `Waiting for ${formatDuration(time, nowMs)}` : `Asked ${formatAgo(time, nowMs)}`}
        </time>
      </div>
      <About question={question} isPartnerShown={isPartnerShown} />
      {isShown ? (
        <ThreadView id={id} isFocused tools={(insert) => <InsertReply insert={insert} />} />
      ) : (
        <p className="line-clamp-4 max-w-prose whitespace-pre-wrap wrap-anywhere">{text}</p>
      )}
      <Button
        aria-expanded={isShown}
        about={`the question about ${dealName}`}
        onClick={() => setShown(!isShown)}
        className="self-start"
      >
        {isShown ? 'Close' : show}
      </Button>
    </li>
  )
}

/** Shows the asker, and who is responsible for the deal. */
function About({ question, isPartnerShown }: { question: Question; isPartnerShown: boolean }) {
  const { partner, isMoved, authorName, messageCount, holder } = question
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
      <span className="wrap-anywhere">
        {authorName}
        {isPartnerShown && ` · ${partner.name}`}
      </span>
      {holder.role !== null && (
        <span className="wrap-anywhere">
          {holderLabels[holder.role]}
          {holder.name !== null && `: ${holder.name}`}
        </span>
      )}
      {messageCount > 1 && <span>{formatCountOf(messageCount, 'message')}</span>}
      {isMoved && <Badge tone="neutral">Deal moved</Badge>}
    </div>
  )
}
