'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { type FormEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'
import type { TeamRole } from '#server/accounts/role.ts'
import { Invite } from '#server/accounts/wire.ts'
import { partnerOfChoice } from './query.ts'
import type { ShownLink } from './use-team.ts'

/** Returns the state of the form that invites a user. Calls `onLink` if the invitation cannot be mailed. */
export function useInvite({
  isPartnerChosen,
  choice,
  role,
  onMailed,
  onLink,
}: {
  /** Whether the form asks for the partner, at first `choice`. */
  isPartnerChosen: boolean
  choice: string
  role: TeamRole
  onMailed: () => void
  onLink: (shown: ShownLink) => void
}) {
  const { team } = trpc.useUtils()
  const [partner, setPartner] = useState(choice)
  const [isPartnerMissing, setPartnerMissing] = useState(false)
  const {
    register,
    handleSubmit,
    setError,
    formState: { errors },
  } = useForm({ resolver: zodResolver(Invite), defaultValues: { email: '', name: '', role } })
  const invite = trpc.team.invite.useMutation({
    async onSuccess({ email, link }) {
      if (link === null) {
        toast.success(`Invitation sent to ${email}.`)
        onMailed()
      } else onLink({ email, link, kind: 'invitation' })
      await team.list.invalidate()
    },
    onError({ data }) {
      const reason = reasonOf(data?.errors)
      if (reason !== undefined)
        setError('email', { type: 'taken', message: `This e-mail address ${reason}.` }, { shouldFocus: true })
    },
  })
  const send = handleSubmit((given) => {
    if (invite.isPending || (isPartnerChosen && partner === '')) return
    invite.mutate({ ...given, ...(isPartnerChosen ? { partner: partnerOfChoice(partner) } : {}) })
  })
  return {
    register,
    errors,
    partner: { value: partner, isMissing: isPartnerMissing && partner === '', set: setPartner },
    submit(event: FormEvent<HTMLFormElement>) {
      setPartnerMissing(partner === '')
      void send(event)
    },
    isPending: invite.isPending,
    problem:
      invite.error === null || reasonOf(invite.error.data?.errors) !== undefined
        ? null
        : failureMessage(invite.error),
  }
}

/** Returns the problem with the e-mail address from the lines of an error. */
const reasonOf = (lines: readonly string[] | null | undefined) =>
  lines?.map((line) => /^email: (.+)$/.exec(line)?.[1]).find((reason) => reason !== undefined)
