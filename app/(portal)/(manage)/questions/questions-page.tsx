'use client'

import { MessagesSquare, BookmarkPlus, MessageSquareText, Pencil, Trash2 } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useEffect, useRef, useState, type FormEvent, useId } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { SelectField, FormProblem, TextField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListState, pageByPage, useList } from '#app/ui/list.tsx'
import { Menu, MenuItem, RowMenu } from '#app/ui/menu.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { done } from '#app/ui/toast-failure.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import { responsibleLabels } from '#server/deals/labels.ts'
import { messageMaxChars } from '#server/messages/policy.ts'
import type { Question, SavedReply } from '#server/messages/question-store.ts'
import { minuteMs } from '#server/values/units.ts'
import { ThreadView, messagesRefetchMs } from '../../deals/[id]/thread-view.tsx'
import { questionFilter, questionsQuery } from './query.ts'

const states = [
  { value: 'open', label: 'Open' },
  { value: 'answered', label: 'Answered' },
  { value: 'resolved', label: 'Resolved' },
] as const

/** Shows the questions of all partners and lets operators answer. */
export function QuestionsPage() {
  const [query] = useQueryStates(questionsQuery.parsers)
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
      <Filters />
      <ListState
        what="questions"
        list={list}
        empty={
          <Notice icon={MessagesSquare} title={query.state === 'open' ? 'No open questions' : 'No questions'}>
            {query.state === 'open' ? 'Every question has an answer.' : 'Try another status or partner.'}
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

function Filters() {
  const [query, setQuery] = useQueryStates(questionsQuery.parsers)
  const { seesAllPartners } = useViewer()
  const { data: askers = [] } = trpc.messages.askers.useQuery()
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <SelectField
        label="Status"
        choices={states}
        value={query.state}
        onChange={({ target }) => void setQuery({ state: target.value as typeof query.state })}
      />
      {seesAllPartners && (
        <SelectField
          label="Partner"
          choices={[
            { value: '', label: 'Any partner' },
            ...askers.map(({ slug, name }) => ({ value: slug, label: name })),
          ]}
          value={query.of ?? ''}
          onChange={({ target }) => void setQuery({ of: target.value || null })}
        />
      )}
    </div>
  )
}

function QuestionCard({
  question,
  nowMs,
  isOpen,
  onAnswered,
}: {
  question: Question
  nowMs: number
  isOpen: boolean
  onAnswered: () => void
}) {
  const [isShown, setShown] = useState(false)
  // Calls `onAnswered` when an answered question disappears from the list along with the focused field.
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
          {isOpen && nowMs - since.getTime() >= minuteMs
            ? `Waiting for ${formatDuration(time, nowMs)}`
            : `Asked ${formatAgo(time, nowMs)}`}
        </time>
      </div>
      <About question={question} />
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

/** Shows who asked a question, and who is responsible for the deal. */
function About({ question }: { question: Question }) {
  const { seesAllPartners } = useViewer()
  const { partner, isMoved, authorName, messageCount, holder } = question
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
      <span className="wrap-anywhere">
        {authorName}
        {seesAllPartners && ` · ${partner.name}`}
      </span>
      {holder.role !== null && (
        <span className="wrap-anywhere">
          {responsibleLabels[holder.role]}
          {holder.name !== null && `: ${holder.name}`}
        </span>
      )}
      {messageCount > 1 && <span>{formatCountOf(messageCount, 'message')}</span>}
      {isMoved && <Badge tone="neutral">Deal moved</Badge>}
    </div>
  )
}

/** Lets operators choose after how long they are reminded of an open question. */
function Reminder() {
  const { messages } = trpc.useUtils()
  const { data: hours } = trpc.messages.reminder.useQuery()
  const [typed, setTyped] = useState<string | null>(null)
  const set = trpc.messages.setReminder.useMutation(
    done(
      () => messages.reminder.invalidate(),
      'Reminder saved.',
      () => setTyped(null),
    ),
  )
  if (hours === undefined) return null
  const value = typed ?? (hours === null ? '' : String(hours))
  const isValid = value === '' || (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 720)
  return (
    <div className="mt-8">
      <Panel title="Reminder" about="E-mails all operators once about a question that nobody has answered.">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (isValid) set.mutate({ hours: value === '' ? null : Number(value) })
          }}
          className="flex flex-col items-start gap-4"
        >
          <FormProblem problem={set.error === null ? null : refusalMessage(set.error)} />
          <TextField
            label="Hours without an answer"
            hint="Leave empty for no reminder."
            error={isValid ? undefined : 'Enter a number from 1 to 720.'}
            inputMode="numeric"
            value={value}
            onChange={({ target }) => setTyped(target.value.trim())}
          />
          <Button type="submit" busy={set.isPending} disabled={typed === null}>
            Save reminder
          </Button>
        </form>
      </Panel>
    </div>
  )
}

/** Inserts a saved reply into the answer at the cursor. */
function InsertReply({ insert }: { insert: (text: string) => void }) {
  const { data: replies = [] } = trpc.messages.replies.useQuery()
  if (replies.length === 0) return null
  return (
    <Menu
      trigger={
        <button type="button" className={button.plain}>
          <MessageSquareText aria-hidden="true" className="size-4" />
          Insert reply
        </button>
      }
    >
      {replies.map(({ id, title, text }) => (
        <MenuItem key={id} icon={MessageSquareText} onSelect={() => insert(text)}>
          <span className="min-w-0 truncate">{title}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}

/** A saved reply; `id` is null for a new one. */
type EditedReply = Omit<SavedReply, 'id'> & { id: number | null }

/** Opens a dialog for creating, editing and deleting saved replies. */
function SavedReplies() {
  const [isOpen, setOpen] = useState(false)
  const [hasEdited, setEdited] = useState(false)
  const [edited, edit] = useState<EditedReply | null>(null)
  const { data: replies = [] } = trpc.messages.replies.useQuery()
  const close = () => {
    setOpen(false)
    setEdited(false)
    edit(null)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Saved replies</Button>
      {isOpen && (
        <Dialog title={titleOf(edited)} onClose={close}>
          {edited === null ? (
            <div className="-mx-6 flex min-h-0 flex-col gap-4 overflow-y-auto px-6">
              {replies.length === 0 && (
                <p className="text-ink-soft">Save answers you use often, and insert them when you reply.</p>
              )}
              {replies.length > 0 && <ReplyList replies={replies} edit={edit} />}
              <Button
                // After editing, the form that had the focus is gone.
                autoFocus={hasEdited}
                onClick={() => edit({ id: null, title: '', text: '' })}
                className="self-start"
              >
                <BookmarkPlus aria-hidden="true" className="size-4" />
                New reply
              </Button>
            </div>
          ) : (
            <ReplyForm
              reply={edited}
              onEnd={() => {
                setEdited(true)
                edit(null)
              }}
            />
          )}
        </Dialog>
      )}
    </>
  )
}

function titleOf(edited: EditedReply | null): string {
  if (edited === null) return 'Saved replies'
  return edited.id === null ? 'New reply' : 'Edit reply'
}

function ReplyList({ replies, edit }: { replies: SavedReply[]; edit: (reply: SavedReply) => void }) {
  const { messages } = trpc.useUtils()
  const [removed, setRemoved] = useState<SavedReply | null>(null)
  const remove = trpc.messages.removeReply.useMutation({ onSuccess: () => messages.replies.invalidate() })
  return (
    <ul aria-label="Saved replies" className="flex flex-col divide-y divide-line">
      {replies.map((reply) => (
        <li key={reply.id} className="flex items-start justify-between gap-3 py-3 first:pt-0">
          <div className="min-w-0">
            <p className="font-medium wrap-anywhere">{reply.title}</p>
            <p className="line-clamp-2 wrap-anywhere text-ink-soft">{reply.text}</p>
          </div>
          <RowMenu about={reply.title} busy={remove.isPending}>
            <MenuItem icon={Pencil} about={reply.title} onSelect={() => edit(reply)}>
              Edit
            </MenuItem>
            <MenuItem icon={Trash2} about={reply.title} isDestructive onSelect={() => setRemoved(reply)}>
              Delete
            </MenuItem>
          </RowMenu>
        </li>
      ))}
      {removed !== null && (
        <ConfirmDialog
          title="Delete this reply?"
          yes="Delete reply"
          isDestructive
          no="Keep reply"
          onYes={() => remove.mutate({ id: removed.id })}
          onClose={() => setRemoved(null)}
        >
          {removed.title} is deleted for all operators. Answers already sent stay.
        </ConfirmDialog>
      )}
    </ul>
  )
}

function ReplyForm({ reply, onEnd }: { reply: EditedReply; onEnd: () => void }) {
  const { messages } = trpc.useUtils()
  const [title, setTitle] = useState(reply.title)
  const [text, setText] = useState(reply.text)
  const id = useId()
  const save = trpc.messages.saveReply.useMutation(done(() => messages.replies.invalidate(), null, onEnd))
  const titleProblem = save.error?.data?.errors?.find((each) => each.startsWith('title: '))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (title.trim() !== '' && text.trim() !== '') save.mutate({ id: reply.id, title, text })
  }
  return (
    <DialogForm
      problem={save.error === null || titleProblem !== undefined ? null : refusalMessage(save.error)}
      busy={save.isPending}
      submit="Save reply"
      isReady={title.trim() !== '' && text.trim() !== ''}
      onSubmit={submit}
      onCancel={onEnd}
    >
      <TextField
        label="Title"
        autoFocus
        maxLength={80}
        value={title}
        error={titleProblem === undefined ? undefined : 'Another reply already has this title.'}
        onChange={({ target }) => setTitle(target.value)}
      />
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="w-fit font-medium">
          Text
        </label>
        <textarea
          id={id}
          rows={6}
          maxLength={messageMaxChars}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="w-full rounded-lg border border-control bg-surface px-3 py-2 text-base sm:text-sm"
        />
      </div>
    </DialogForm>
  )
}
