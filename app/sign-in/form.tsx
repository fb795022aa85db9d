'use client'

import { useEffect, useSyncExternalStore } from 'react'
import { dropCachedPages } from '#app/cached-pages.ts'
import { useActionForm } from '#app/ui/action-form.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, PasswordField, TextField } from '#app/ui/fields.tsx'
import { noAnswer } from '#app/ui/form-answer.ts'
import { Link } from '#app/ui/link.tsx'
import { readSavedForms } from '#app/ui/saved-forms.ts'
import { SignIn } from '#server/accounts/wire.ts'
import { signInWithPassword } from './actions.ts'
import { textLink } from './sign-in-layout.tsx'

/** Shows the sign-in form, including the problem of the previous attempt. Works without JavaScript. */
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

/**
 * Explains why the user must sign in again, and that typed input was saved. If the expired session's cookie
 * is gone, only saved forms reveal that there was a session.
 */
export function SessionEnded({ hasEnded }: { hasEnded: boolean }) {
  const hasKept = useSyncExternalStore(
    neverChanges,
    () => readSavedForms().length > 0,
    () => false,
  )
  if (!hasEnded && !hasKept) return null
  return (
    <p role="status" className="mb-5 rounded-lg bg-info-soft px-3 py-2.5 text-pretty text-info">
      Your session has ended. Sign in to continue{hasKept ? '; what you entered is saved.' : '.'}
    </p>
  )
}

const neverChanges = () => () => {}
