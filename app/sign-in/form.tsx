'use client'

import { useEffect } from 'react'
import { dropCachedPages } from '#app/cached-pages.ts'
import { Link } from '#app/ui/link.tsx'
import { SignIn } from '#server/accounts/wire.ts'
import { useActionForm } from '../ui/action-form.ts'
import { noAnswer } from '../ui/form-answer.ts'
import { FormProblem } from '../ui/form-problem.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { signInWithPassword } from './actions.ts'
import { textLink } from './sign-in-layout.tsx'

/** Shows the sign-in form, with the problem of an earlier attempt. Works without scripts. */
export function SignInForm({ callbackUrl, problem }: { callbackUrl: string; problem: string | null }) {
  const {
    form,
    field,
    busy,
    problem: message,
  } = useActionForm(SignIn, signInWithPassword, { ...noAnswer, problem }, 'password')
  useEffect(() => void dropCachedPages(), [])
  return (
    <form {...form} className="flex flex-col gap-4">
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
      <FormProblem problem={message} />
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="username"
        autoFocus
        {...field('email', 'Enter your e-mail address, such as name@company.com.')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        {...field('password', 'Enter your password.')}
      />
      <SubmitButton busy={busy} className="mt-2 w-full">
        {busy ? 'Signing in…' : 'Sign in'}
      </SubmitButton>
      <Link href="/sign-in/forgot" className={`${textLink} self-center`}>
        Forgot your password?
      </Link>
    </form>
  )
}
