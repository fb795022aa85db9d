import { BookmarkPlus, MessageSquareText, Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { TextField } from '#app/ui/fields.tsx'
import { Menu, MenuItem, RowMenu } from '#app/ui/menu.tsx'
import { messageMaxChars } from '#server/messages/policy.ts'
import type { SavedReply } from '#server/messages/questions/store.ts'

/** Inserts a saved reply at the cursor of an answer. */
export function InsertReply({ insert }: { insert: (text: string) => void }) {
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

/** Opens the saved replies, to create, edit and delete them. */
export function SavedReplies() {
  const [isOpen, setOpen] = useState(false)
  const [hasEdited, setEdited] = useState(false)
  const [edited, edit] = useState<(Omit<SavedReply, 'id'> & { id: number | null }) | null>(null)
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
                <p className="text-ink-soft">Save what you answer often, and insert it where you answer.</p>
              )}
              {replies.length > 0 && <ReplyList replies={replies} edit={edit} />}
              <Button
                // After the form, which had the focus.
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

function titleOf(edited: { id: number | null } | null): string {
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
            <MenuItem icon={Trash2} about={reply.title} onSelect={() => setRemoved(reply)}>
              Delete
            </MenuItem>
          </RowMenu>
        </li>
      ))}
      {removed !== null && (
        <ConfirmDialog
          title="Delete this reply?"
          yes="Delete reply"
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

function ReplyForm({
  reply,
  onEnd,
}: {
  reply: { id: number | null; title: string; text: string }
  onEnd: () => void
}) {
  const { messages } = trpc.useUtils()
  const [title, setTitle] = useState(reply.title)
  const [text, setText] = useState(reply.text)
  const id = useId()
  const save = trpc.messages.saveReply.useMutation({
    async onSuccess() {
      await messages.replies.invalidate()
      onEnd()
    },
  })
  const taken = save.error?.data?.errors?.find((each) => each.startsWith('title: '))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (title.trim() !== '' && text.trim() !== '') save.mutate({ id: reply.id, title, text })
  }
  return (
    <DialogForm
      problem={save.error === null || taken !== undefined ? null : refusalMessage(save.error)}
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
        error={taken === undefined ? undefined : 'Another reply has this title.'}
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
