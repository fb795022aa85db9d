'use client'

import { ChevronRight } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { SectionNotLoaded } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { ThreadRow } from '#server/messages/store.ts'
import { type ThreadState, stateOf } from '#server/messages/thread.ts'
import { Composer } from './composer.tsx'
import { usualAnswerText } from './message-text.ts'
import { ThreadView, messagesRefetchMs } from './thread-view.tsx'

/** `isAsking` is true if the form for a new question is open, and null until the form first opens. */
interface Asking {
  isAsking: boolean | null
  setAsking: (isAsking: boolean | null) => void
}

/** Shows the questions about a deal and a form to ask one. */
export function Questions({ dealId, ...asking }: { dealId: string } & Asking) {
  const query = trpc.messages.threads.useQuery({ dealId }, { refetchInterval: messagesRefetchMs })
  const linkedId = Number(useSearchParams().get('thread') ?? NaN)
  const [opened, setOpened] = useState<number | null>(Number.isNaN(linkedId) ? null : linkedId)
  const [sent, setSent] = useState<number | null>(null)
  if (query.data === undefined) return <SectionNotLoaded what="questions" query={query} />
  const { threads, usualAnswerMs, canAsk } = query.data
  return (
    <div className="flex flex-col gap-4">
      {threads.length > 0 && (
        <ul aria-label="Questions" className="flex flex-col divide-y divide-line">
          {threads.map((thread) => (
            <Thread
              key={thread.id}
              thread={thread}
              nowMs={query.dataUpdatedAt}
              isOpen={thread.id === opened}
              isFocused={thread.id === linkedId}
              isSent={thread.id === sent}
              onToggle={() => setOpened(thread.id === opened ? null : thread.id)}
            />
          ))}
        </ul>
      )}
      {canAsk ? (
        <Ask
          dealId={dealId}
          {...asking}
          usualAnswerMs={usualAnswerMs}
          onAsked={(id) => {
            setOpened(id)
            setSent(id)
          }}
        />
      ) : (
        <p className="text-ink-soft">The deal has no partner to ask.</p>
      )}
    </div>
  )
}

const tones = { open: 'wait', answered: 'good', resolved: 'neutral' } as const
const labels: Record<ThreadState, string> = { open: 'Open', answered: 'Answered', resolved: 'Resolved' }

function Thread({
  thread,
  nowMs,
  isOpen,
  isFocused,
  isSent,
  onToggle,
}: {
  thread: ThreadRow
  nowMs: number
  isOpen: boolean
  isFocused: boolean
  /** True if the question was just asked, so that the form that had the focus is gone. */
  isSent: boolean
  onToggle: () => void
}) {
  const { id, text, unreadCount } = thread
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isSent) button.current?.focus()
  }, [isSent])
  return (
    <li className="py-3 first:pt-0">
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full items-start gap-2 rounded-lg text-left hover:bg-sunken"
      >
        <ChevronRight
          aria-hidden="true"
          className={`mt-0.5 size-4 shrink-0 text-ink-soft transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          <span
            className={`wrap-anywhere ${isOpen ? '' : 'line-clamp-2'} ${unreadCount > 0 ? 'font-semibold' : 'font-medium'}`}
          >
            {text}
          </span>
          <ThreadFacts thread={thread} nowMs={nowMs} />
        </span>
      </button>
      {isOpen && (
        <div className="mt-3 sm:pl-6">
          <ThreadView id={id} isFocused={isFocused} />
        </div>
      )}
    </li>
  )
}

function ThreadFacts({ thread, nowMs }: { thread: ThreadRow; nowMs: number }) {
  const { seesAllPartners } = useViewer()
  const { partner, isMoved, authorName, createdAt, messageCount, unreadCount } = thread
  const state = stateOf(thread)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
      <Badge tone={tones[state]}>{labels[state]}</Badge>
      {unreadCount > 0 && <Badge tone="info">{unreadCount} new</Badge>}
      <span className="wrap-anywhere">
        {authorName}
        {seesAllPartners && isMoved && ` · ${partner}`}
      </span>
      <When at={createdAt} nowMs={nowMs} />
      {messageCount > 1 && <span>{formatCountOf(messageCount, 'message')}</span>}
    </span>
  )
}

function Ask({
  dealId,
  isAsking,
  setAsking,
  usualAnswerMs,
  onAsked,
}: {
  dealId: string
  usualAnswerMs: number | null
  onAsked: (id: number) => void
} & Asking) {
  const isOperator = useViewer().role === 'operator'
  const { messages } = trpc.useUtils()
  const ask = trpc.messages.ask.useMutation({
    async onSuccess({ threadId }) {
      await messages.invalidate()
      setAsking(null)
      onAsked(threadId)
    },
  })
  const usual = !isOperator && usualAnswerMs !== null && (
    <p className="text-ink-soft">{usualAnswerText(usualAnswerMs)}</p>
  )
  if (!isAsking)
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {/* Gets the focus back after the user cancels the form. */}
        <Button autoFocus={isAsking === false} onClick={() => setAsking(true)}>
          Ask a question
        </Button>
        {usual}
      </div>
    )
  return (
    <div className="flex flex-col gap-2">
      <Composer
        dealId={dealId}
        label={isOperator ? 'Ask the partner' : 'Ask the installer'}
        submit="Ask"
        isFocused
        problem={ask.error === null ? null : refusalMessage(ask.error)}
        busy={ask.isPending}
        onCancel={() => {
          ask.reset()
          setAsking(false)
        }}
        onSend={(message, sent) => ask.mutate({ dealId, ...message }, { onSuccess: sent })}
      />
      {usual}
    </div>
  )
}
