import { Paperclip } from 'lucide-react'
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useRef,
  useState,
} from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { FormProblem } from '#app/ui/fields.tsx'
import { filesPerMessageMax, messageMaxChars } from '#server/messages/policy.ts'
import { minuteMs } from '#server/values/units.ts'
import { mentionAt, suggestionsFor } from './message-text.ts'
import { FilesInput, UploadList, useUploads } from './uploads.tsx'

interface ComposerProps {
  dealId: string
  threadId?: number
  label: string
  submit: string
  problem: string | null
  busy: boolean
  isFocused?: boolean
  tools?: ((insert: (text: string) => void) => ReactNode) | undefined
  onSend: (message: { text: string; files: string[] }, sent: () => void) => void
  onCancel?: () => void
}

/** Shows a form for writing a message with mentions and files. */
export function Composer({
  dealId,
  threadId,
  label,
  submit,
  problem,
  busy,
  isFocused = false,
  tools,
  onSend,
  onCancel,
}: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { uploads, attach, ...files } = useAttachments({ dealId, threadId })
  const ownId = useId()
  // A message that refers to a file must not be sent before the upload ends.
  const isUploading = uploads.some(({ state }) => state === 'sending')
  const canSend = text.trim() !== '' && uploads.every(({ state }) => state !== 'stopped')

  function insert(inserted: string) {
    const at = field.current?.selectionEnd ?? text.length
    write(field.current, setText, [text.slice(0, at) + inserted, text.slice(at)])
  }

  function send(event: FormEvent) {
    event.preventDefault()
    if (busy || isUploading || !canSend) return
    onSend({ text, files: uploads.flatMap(({ id }) => id ?? []) }, () => {
      setText('')
      files.clear()
    })
  }

  function cancel() {
    uploads.forEach(files.remove)
    onCancel?.()
  }

  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-2">
      <FormProblem problem={problem} />
      <MessageField
        field={field}
        // Links to `#answer` lead to this field.
        id={threadId !== undefined && isFocused ? 'answer' : ownId}
        place={{ dealId, threadId }}
        label={label}
        text={text}
        onChange={setText}
        isFocused={isFocused}
      />
      <UploadList label="Attached files" uploads={uploads} {...files} />
      <div className="flex flex-wrap items-center gap-2">
        <Attach isFull={uploads.length >= filesPerMessageMax} onAdd={attach} />
        {tools?.(insert)}
        <div className="ml-auto flex gap-2">
          {onCancel !== undefined && <Button onClick={cancel}>Cancel</Button>}
          <SubmitButton busy={busy || isUploading} disabled={!canSend} className="h-9!">
            {submit}
          </SubmitButton>
        </div>
      </div>
    </form>
  )
}

function useAttachments({ dealId, threadId }: Place) {
  const { client } = trpc.useUtils()
  const uploads = useUploads()
  const attach = (added: FileList | null) =>
    uploads.add(added, ({ name, size: sizeBytes }) => ({
      begin: () =>
        client.messages.beginFile.mutate({ dealId, name, sizeBytes, ...(threadId && { threadId }) }),
      urlOf: (id) => `/attachments/${id}/content`,
      discard: (id) => client.messages.discardFile.mutate({ id }),
    }))
  return { ...uploads, attach }
}

function write(
  field: HTMLTextAreaElement | null,
  setText: (text: string) => void,
  [before, after]: [string, string],
): void {
  setText(before + after)
  requestAnimationFrame(() => {
    field?.focus()
    field?.setSelectionRange(before.length, before.length)
  })
}

interface Place {
  dealId: string
  threadId: number | undefined
}

function MessageField({
  field,
  id,
  place,
  label,
  text,
  onChange,
  isFocused,
}: {
  field: RefObject<HTMLTextAreaElement | null>
  id: string
  place: Place
  label: string
  text: string
  onChange: (text: string) => void
  isFocused: boolean
}) {
  const [cursor, setCursor] = useState(0)
  const mentions = useMentions(place, text, cursor)
  const { shown, active } = mentions

  function mention(name: string) {
    if (mentions.typed === null) return
    const before = `${text.slice(0, mentions.typed.start)}@${name} `
    setCursor(before.length)
    write(field.current, onChange, [before, text.slice(cursor)])
  }

  function onKeyDown(event: KeyboardEvent) {
    if (mentions.onKeyDown(event, mention)) event.preventDefault()
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      field.current?.form?.requestSubmit()
    }
  }

  return (
    <div className="relative">
      <textarea
        ref={field}
        id={id}
        aria-label={label}
        rows={3}
        autoFocus={isFocused}
        maxLength={messageMaxChars}
        placeholder={`${label}…`}
        value={text}
        aria-autocomplete="list"
        aria-controls={shown.length > 0 ? `${id}-people` : undefined}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        onChange={({ target }) => {
          onChange(target.value)
          setCursor(target.selectionEnd)
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionEnd)}
        onKeyDown={onKeyDown}
        onBlur={mentions.close}
        className="field-sizing-content max-h-80 min-h-20 w-full rounded-lg border border-control bg-surface px-3 py-2 text-base sm:text-sm"
      />
      <Suggestions id={id} people={shown} active={active} onChoose={mention} />
    </div>
  )
}

/** Lists people to mention. Renders nothing while no mention is being typed. */
function Suggestions({
  id,
  people,
  active,
  onChoose,
}: {
  id: string
  people: { id: number; name: string }[]
  active: number
  onChoose: (name: string) => void
}) {
  if (people.length === 0) return null
  return (
    <ul
      id={`${id}-people`}
      role="listbox"
      aria-label="People to mention"
      className="absolute top-full left-0 z-20 mt-1 w-64 max-w-full rounded-xl border border-line bg-surface p-1.5 shadow-lg"
    >
      {people.map(({ id: personId, name }, index) => (
        <li
          key={personId}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // Keep the focus in the text field.
          onPointerDown={(event) => {
            event.preventDefault()
            onChoose(name)
          }}
          className="cursor-pointer truncate rounded-lg px-2.5 py-2 aria-selected:bg-sunken"
        >
          {name}
        </li>
      ))}
    </ul>
  )
}

const Attach = ({ isFull, onAdd }: { isFull: boolean; onAdd: (files: FileList | null) => void }) => (
  <label
    className={`${button.plain} cursor-pointer focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent`}
  >
    <Paperclip aria-hidden="true" className="size-4" />
    Attach
    <FilesInput aria-label="Files to attach" disabled={isFull} onAdd={onAdd} />
  </label>
)

function useMentions({ dealId, threadId }: Place, text: string, cursor: number) {
  const [active, setActive] = useState(0)
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const typed = mentionAt(text, cursor)
  const isOpen = typed !== null && typed.start !== closedAt
  const { data } = trpc.messages.mentionable.useQuery(
    { dealId, ...(threadId && { threadId }) },
    { enabled: isOpen, staleTime: minuteMs },
  )
  const suggested = isOpen ? suggestionsFor(data ?? [], typed.query) : []
  // A completely typed name needs no suggestion.
  const isWhole = suggested.length === 1 && typed !== null && typed.query === suggested[0]!.name
  const people = isWhole ? [] : suggested
  const at = Math.min(active, Math.max(0, people.length - 1))
  const close = () => setClosedAt(typed?.start ?? null)
  return {
    typed,
    shown: people,
    active: at,
    close,
    /** Handles keys for the suggestions. Returns true if the key was handled. */
    onKeyDown({ key }: KeyboardEvent, choose: (name: string) => void): boolean {
      if (people.length === 0) return false
      const step = { ArrowDown: 1, ArrowUp: people.length - 1 }[key]
      if (step !== undefined) setActive((at + step) % people.length)
      else if (key === 'Escape') close()
      else if (key === 'Enter' || key === 'Tab') choose(people[at]!.name)
      else return false
      return true
    },
  }
}
