import { Check, RotateCcw } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { FormProblem } from '#app/ui/fields.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { pageByPage } from '#app/ui/list.tsx'
import { SectionNotLoaded } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { StoredMessage } from '#server/messages/store.ts'
import { minuteMs } from '#server/values/units.ts'
import { Composer } from './composer.tsx'
import { DownloadFile } from './deal-files.tsx'
import { partsOf } from './message-text.ts'

/** Polling interval for messages while the change stream is down. */
export const messagesRefetchMs = minuteMs

type Tools = (insert: (text: string) => void) => ReactNode

/** Shows a question with its answers, an answer field, and a button that resolves the question. */
export function ThreadView({
  id,
  isFocused = false,
  tools,
}: {
  id: number
  isFocused?: boolean
  tools?: Tools
}) {
  const { messages } = trpc.useUtils()
  const query = trpc.messages.thread.useInfiniteQuery(
    { id },
    { ...pageByPage, refetchInterval: messagesRefetchMs },
  )
  const { mutate: markRead } = trpc.messages.read.useMutation({
    onSuccess: () => messages.threads.invalidate(),
  })
  const [newest] = query.data?.pages ?? []
  const lastId = newest?.messages.at(-1)?.id
  useEffect(() => {
    if (lastId !== undefined) markRead({ id, messageId: lastId })
  }, [id, lastId, markRead])
  if (query.data === undefined || newest === undefined)
    return <SectionNotLoaded what="messages" query={query} />
  return (
    <div className="flex flex-col gap-4">
      {query.hasNextPage && (
        <Button
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
          className="self-start"
        >
          Show older messages
        </Button>
      )}
      <ol aria-label="Messages" className="flex flex-col gap-4">
        {messagesOf(query.data.pages).map((message) => (
          <Message key={message.id} message={message} nowMs={query.dataUpdatedAt} />
        ))}
      </ol>
      {newest.isMoved ? (
        <p className="text-pretty text-ink-soft">
          This deal moved to another partner. The partner that asked can no longer see answers.
        </p>
      ) : (
        <Answer thread={newest} isFocused={isFocused} tools={tools} />
      )}
      <Settle {...newest} />
    </div>
  )
}

/** Returns the messages of all pages, oldest first. The pages contain them newest first. */
const messagesOf = (pages: readonly { messages: StoredMessage[] }[]) =>
  pages.toReversed().flatMap(({ messages }) => messages)

function Answer({
  thread: { id, dealId },
  isFocused,
  tools,
}: {
  thread: { id: number; dealId: string }
  isFocused: boolean
  tools: Tools | undefined
}) {
  const { role } = useViewer()
  const { messages } = trpc.useUtils()
  const answer = trpc.messages.answer.useMutation({ onSuccess: () => messages.invalidate() })
  return (
    <Composer
      dealId={dealId}
      threadId={id}
      label={role === 'operator' ? 'Answer' : 'Reply'}
      submit="Send"
      isFocused={isFocused}
      problem={answer.error === null ? null : refusalMessage(answer.error)}
      busy={answer.isPending}
      tools={tools}
      onSend={(message, sent) => answer.mutate({ id, ...message }, { onSuccess: sent })}
    />
  )
}

function Settle({ id, isResolved }: { id: number; isResolved: boolean }) {
  const { messages } = trpc.useUtils()
  const done = { onSuccess: () => messages.invalidate() }
  const resolve = trpc.messages.resolve.useMutation(done)
  const reopen = trpc.messages.reopen.useMutation(done)
  const settle = isResolved ? reopen : resolve
  const failure = resolve.error ?? reopen.error
  const Icon = isResolved ? RotateCcw : Check
  return (
    <>
      <FormProblem problem={failure === null ? null : refusalMessage(failure)} />
      <Button busy={settle.isPending} onClick={() => settle.mutate({ id })} className="self-start">
        <Icon aria-hidden="true" className="size-4" />
        {isResolved ? 'Reopen question' : 'Resolve question'}
      </Button>
    </>
  )
}

function Message({ message, nowMs }: { message: StoredMessage; nowMs: number }) {
  const { authorName, isInstaller, isMine, text, mentions, createdAt, files } = message
  return (
    <li className={`flex flex-col gap-1.5 border-l-2 pl-3 ${isInstaller ? 'border-accent' : 'border-line'}`}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium wrap-anywhere">{isMine ? 'You' : authorName}</span>
        {isInstaller && <Badge tone="info">Installer</Badge>}
        <span className="text-xs text-ink-soft">
          <When at={createdAt} nowMs={nowMs} />
        </span>
      </div>
      <p className="max-w-prose whitespace-pre-wrap wrap-anywhere">
        <MessageText text={text} mentions={mentions} />
      </p>
      {files.length > 0 && (
        <ul aria-label="Files" className="flex flex-col gap-2">
          {files.map(({ id, name, sizeBytes }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 wrap-anywhere">
                {name} <span className="text-ink-soft">· {formatBytes(sizeBytes)}</span>
              </span>
              <DownloadFile id={id} name={name} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function MessageText({ text, mentions }: { text: string; mentions: readonly string[] }) {
  return partsOf(text, mentions).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity, and never move
    <Part key={index} {...part} />
  ))
}

function Part({ kind, text }: ReturnType<typeof partsOf>[number]) {
  if (kind === 'mention') return <span className="font-medium text-accent">{text}</span>
  if (kind === 'text') return text
  return (
    <a
      href={text}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      className="text-accent underline underline-offset-2"
    >
      {text}
    </a>
  )
}
