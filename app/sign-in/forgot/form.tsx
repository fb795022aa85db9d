'use client'

import { useState } from 'react'
import { useActionForm } from '#app/ui/action-form.ts'
import { noAnswer } from '#app/ui/form-answer.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { RequestLink } from '#server/accounts/wire.ts'
import { requestLink } from '../actions.ts'

/** An address, and what the link that is sent there is to do. */
export function ForgotForm() {
  const { form, field, busy, problem } = useActionForm(RequestLink, requestLink, noAnswer)
  const [kind, setKind] = useState('reset')
  const choice = (value: string) => ({
    name: 'kind',
    value,
    busy: busy && kind === value,
    onClick: () => setKind(value),
  })
  return (
    <form {...form} className="flex flex-col gap-4">
      <FormProblem problem={problem} />
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="username"
        autoFocus
        {...field('email', 'Enter your e-mail address, like name@company.com.')}
      />
      <SubmitButton {...choice('reset')} className="mt-2 w-full">
        Send a link to set a new password
      </SubmitButton>
      <SubmitButton {...choice('sign-in')} look="plain" className="h-10 w-full">
        Send a link that signs me in
      </SubmitButton>
    </form>
  )
}
