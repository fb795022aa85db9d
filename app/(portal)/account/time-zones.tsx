'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { isAdmin } from '#server/accounts/role.ts'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { Api } from '#server/api.ts'
import { ZoneForm } from './zone-form.tsx'

type Me = inferRouterOutputs<Api>['accounts']['me']

/** Chooses the time zone of the user and, for admins, that of their partner. */
export function TimeZones({ me: { timeZone, partner, role } }: { me: Me }) {
  const router = useRouter()
  const { accounts } = trpc.useUtils()
  const saved = {
    async onSuccess() {
      toast.success('Time zone saved.')
      await accounts.me.invalidate()
      // The server renders the whole portal in it.
      router.refresh()
    },
  }
  const own = trpc.accounts.setTimeZone.useMutation(saved)
  const ofPartner = trpc.accounts.setPartnerTimeZone.useMutation(saved)
  return (
    <div className="flex flex-col gap-6">
      <ZoneForm
        label="Your time zone"
        defaultLabel={`${zoneLabel(partner?.zone ?? 'UTC')}, default`}
        timeZone={timeZone}
        isBusy={own.isPending}
        problem={own.error && failureMessage(own.error)}
        onSave={(chosen) => own.mutate({ timeZone: chosen })}
      />
      {isAdmin(role) && partner !== null && (
        <ZoneForm
          label={`Default time zone of ${partner.name}`}
          defaultLabel={`${zoneLabel(partner.usualZone)}, where most deals are`}
          timeZone={partner.timeZone}
          isBusy={ofPartner.isPending}
          problem={ofPartner.error && failureMessage(ofPartner.error)}
          onSave={(chosen) => ofPartner.mutate({ timeZone: chosen })}
        />
      )}
    </div>
  )
}
