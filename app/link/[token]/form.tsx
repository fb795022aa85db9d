'use client'

import { setPassword, signInByLink } from '#app/sign-in/actions.ts'
import { useActionForm } from '#app/ui/action-form.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, PasswordField, TextField } from '#app/ui/fields.tsx'
import { noAnswer } from '#app/ui/form-answer.ts'
import { SetPassword, UseLink } from '#server/accounts/wire.ts'

const typed = SetPassword.omit({ token: true })
const nothing = UseLink.omit({ token: true })

/**
 * Shows the form that sets a password through an e-mailed link. If `name` is set, the form also has the
 * user's name.
 */
export function PasswordForm({ token, email, name }: { token: string; email: string; name: string | null }) {
  const { form, field, busy, problem } = useActionForm(
    typed,
    setPassword,
    name === null ? noAnswer : { ...noAnswer, typed: { name } },
  )
  return (
    <form {...form} className="flex flex-col gap-4">
      <input type="hidden" name="token" value={token} />
      <FormProblem problem={problem} />
      {name !== null && (
        <TextField
          label="Your name"
          autoComplete="name"
          autoFocus
          {...field('name', 'Enter a name of at most 100 characters.')}
        />
      )}
      {/* Password managers save the password with this e-mail address. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={name === null ? 'New password' : 'Password'}
        autoComplete="new-password"
        autoFocus={name === null}
        hint="At least 12 characters. A memorable passphrase works well."
        {...field('password', 'Choose a password of 12 to 256 characters.')}
      />
      <SubmitButton busy={busy} className="mt-2 w-full">
        {name === null ? 'Set password and sign in' : 'Accept and sign in'}
      </SubmitButton>
    </form>
  )
}

/**
 * Shows a button that signs in with a link. Opening the link is not enough, because mail scanners open every
 * link.
 */
export function SignInByLinkForm({ token, name }: { token: string; name: string }) {
  const { form, busy, problem } = useActionForm(nothing, signInByLink, noAnswer)
  return (
    <form {...form} className="flex flex-col gap-4">
      <input type="hidden" name="token" value={token} />
      <FormProblem problem={problem} />
      <SubmitButton busy={busy} className="w-full min-w-0">
        <span className="truncate">Sign in as {name}</span>
      </SubmitButton>
    </form>
  )
}
