'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { CirclePause, CirclePlay, Clock, HardDrive, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { type Outputs, trpc } from '#app/trpc.ts'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { TextField } from '#app/ui/fields.tsx'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { useRouter } from '#app/ui/link.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { done, toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import { FileQuotaGb, RenamePartner, fileQuotaMaxGb } from '#server/partners/wire.ts'
import { ZoneForm } from '../../account/zone-form.tsx'

/** Shows the actions for a partner. */
export function PartnerActions({ partner }: { partner: PartnerLine }) {
  const { slug, name, suspendedAt } = partner
  const { partners } = trpc.useUtils()
  const options = (text: string) => ({
    onSuccess: () => void toast.success(text),
    onError: toastRefusal,
    onSettled: () => partners.list.invalidate(),
  })
  const suspend = trpc.partners.suspend.useMutation(options(`${name} suspended.`))
  const resume = trpc.partners.resume.useMutation(options(`${name} resumed. Waiting events are being sent.`))
  const [dialog, open] = useState<'name' | 'zone' | 'quota' | 'suspension' | null>(null)
  const close = () => open(null)
  return (
    <>
      <RowMenu about={name} busy={suspend.isPending || resume.isPending}>
        <MenuItem icon={Pencil} onSelect={() => open('name')}>
          Rename
        </MenuItem>
        <MenuItem icon={Clock} onSelect={() => open('zone')}>
          Time zone
        </MenuItem>
        <MenuItem icon={HardDrive} onSelect={() => open('quota')}>
          File quota
        </MenuItem>
        <MenuLine />
        {suspendedAt === null ? (
          <MenuItem icon={CirclePause} isDestructive onSelect={() => open('suspension')}>
            Suspend
          </MenuItem>
        ) : (
          <MenuItem icon={CirclePlay} onSelect={() => resume.mutate({ slug })}>
            Resume
          </MenuItem>
        )}
      </RowMenu>
      {dialog === 'name' && <RenameDialog slug={slug} name={name} onClose={close} />}
      {dialog === 'zone' && <ZoneDialog partner={partner} onClose={close} />}
      {dialog === 'quota' && <QuotaDialog slug={slug} name={name} onClose={close} />}
      {dialog === 'suspension' && (
        <ConfirmDialog
          title={`Suspend ${name}?`}
          yes="Suspend"
          isDestructive
          onYes={() => suspend.mutate({ slug })}
          onClose={close}
        >
          Its tokens stop working, its users are signed out, and no webhooks are sent, effective immediately.
          Deals and events are still recorded. When you resume it, tokens and sign-in work again and waiting
          events are sent.
        </ConfirmDialog>
      )}
    </>
  )
}

function RenameDialog({ slug, name, onClose }: { slug: string; name: string; onClose: () => void }) {
  const router = useRouter()
  const { partners, accounts } = trpc.useUtils()
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(RenamePartner),
    defaultValues: { slug, name },
  })
  const { errors } = formState
  const rename = trpc.partners.rename.useMutation({
    async onSuccess(_, values) {
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
      // The banner, which the server renders, also shows the partner's name.
      router.refresh()
      toast.success(`Renamed to ${values.name}.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Rename ${name}`} onClose={onClose}>
      <DialogForm
        onSubmit={handleSubmit((values) => rename.mutate(values))}
        problem={rename.error && failureMessage(rename.error)}
        busy={rename.isPending}
        submit="Rename"
        onCancel={onClose}
      >
        <TextField
          label="Name"
          autoComplete="off"
          hint="The slug stays the same."
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
      </DialogForm>
    </Dialog>
  )
}

function ZoneDialog({
  partner: { slug, name, timeZone, usualZone },
  onClose,
}: {
  partner: PartnerLine
  onClose: () => void
}) {
  const { partners } = trpc.useUtils()
  const save = trpc.partners.setTimeZone.useMutation(
    done(() => partners.list.invalidate(), 'Time zone saved.', onClose),
  )
  return (
    <Dialog title={`Time zone of ${name}`} onClose={onClose}>
      <p className="mb-4 text-pretty text-ink-soft">
        Its users see days and times in it, unless they have chosen their own.
      </p>
      <ZoneForm
        label="Time zone"
        defaultText={`${zoneLabel(usualZone ?? 'UTC')}, where most deals are`}
        timeZone={timeZone}
        isBusy={save.isPending}
        problem={save.error && failureMessage(save.error)}
        onSave={(chosen) => save.mutate({ slug, timeZone: chosen })}
      />
    </Dialog>
  )
}

/** Shows a partner's file quota and usage, and changes the quota. */
function QuotaDialog({ slug, name, onClose }: { slug: string; name: string; onClose: () => void }) {
  const query = trpc.partners.fileUse.useQuery({ slug })
  return (
    <Dialog title={`File quota of ${name}`} onClose={onClose}>
      <QueryState what="the file quota" query={query} data={query.data}>
        {(use) => <QuotaForm slug={slug} use={use} onClose={onClose} />}
      </QueryState>
    </Dialog>
  )
}

function QuotaForm({ slug, use, onClose }: { slug: string; use: FileUse; onClose: () => void }) {
  const { partners } = trpc.useUtils()
  const { usedBytes, quotaBytes, quotaGb } = use
  const [typed, setTyped] = useState(quotaGb === null ? '' : String(quotaGb))
  const [isInvalid, setInvalid] = useState(false)
  const save = trpc.partners.setFileQuota.useMutation(
    done(() => partners.invalidate(), 'File quota saved.', onClose),
  )
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault()
        const gigabytes = FileQuotaGb.safeParse(typed.trim() === '' ? null : Number(typed))
        setInvalid(!gigabytes.success)
        if (gigabytes.success) save.mutate({ slug, gigabytes: gigabytes.data })
      }}
      problem={save.error && failureMessage(save.error)}
      busy={save.isPending}
      submit="Save quota"
      onCancel={onClose}
    >
      <p className="text-pretty text-ink-soft">
        Its users have attached {formatBytes(usedBytes)} of {formatBytes(quotaBytes)} to questions.
      </p>
      <TextField
        label="Quota in GB"
        inputMode="numeric"
        autoComplete="off"
        hint="Empty for the default."
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        error={
          isInvalid ? `Enter a whole number from 0 to ${fileQuotaMaxGb.toLocaleString('en-US')}.` : undefined
        }
      />
    </DialogForm>
  )
}

type FileUse = Outputs['partners']['fileUse']

/** A partner in the list. */
export type PartnerLine = Outputs['partners']['list']['partners'][number]
