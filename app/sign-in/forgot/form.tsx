'use client'

import { useState } from 'react'
import { useActionForm } from '#app/ui/action-form.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, TextField } from '#app/ui/fields.tsx'
import { noAnswer } from '#app/ui/form-answer.ts'
import { RequestLink } from '#server/accounts/wire.ts'
import { requestLink } from '../actions.ts'

/** Shows the form that requests a link by e-mail. */
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
        {...field('email', 'Enter your e-mail address, such as name@company.com.')}
      />
      <SubmitButton {...choice('reset')} className="mt-2 w-full">
        Send password reset link
      </SubmitButton>
      <SubmitButton {...choice('sign-in')} look="plain" className="h-10 w-full">
        Send sign-in link
      </SubmitButton>
    </form>
  )
}
