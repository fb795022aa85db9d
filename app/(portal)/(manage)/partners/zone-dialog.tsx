'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { toast } from '#app/ui/toast.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import { ZoneForm } from '../../account/zone-form.tsx'
import type { PartnerLine } from './partner.ts'

/** Chooses the time zone of a partner. */
export function ZoneDialog({
  partner: { slug, name, timeZone, usualZone },
  onClose,
}: {
  partner: PartnerLine
  onClose: () => void
}) {
  const { partners } = trpc.useUtils()
  const save = trpc.partners.setTimeZone.useMutation({
    async onSuccess() {
      await partners.list.invalidate()
      toast.success('Time zone saved.')
      onClose()
    },
  })
  return (
    <Dialog title={`Time zone of ${name}`} onClose={onClose}>
      <p className="mb-4 text-pretty text-ink-soft">
        Its users see days and times in it, unless they have chosen their own.
      </p>
      <ZoneForm
        label="Time zone"
        defaultLabel={`${zoneLabel(usualZone ?? 'UTC')}, where most deals are`}
        timeZone={timeZone}
        isBusy={save.isPending}
        problem={save.error && failureMessage(save.error)}
        onSave={(chosen) => save.mutate({ slug, timeZone: chosen })}
      />
    </Dialog>
  )
}
