'use client'

import { setPassword, signInByLink } from '#app/sign-in/actions.ts'
import { useActionForm } from '#app/ui/action-form.ts'
import { noAnswer } from '#app/ui/form-answer.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { PasswordField } from '#app/ui/password-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { SetPassword, UseLink } from '#server/accounts/wire.ts'

const typed = SetPassword.omit({ token: true })
const nothing = UseLink.omit({ token: true })

/** Sets a password by a link; with `name`, what the user is called as well. */
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
          {...field('name', 'Enter your name, in at most 100 characters.')}
        />
      )}
      {/* For password managers, which keep the password together with it. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={name === null ? 'New password' : 'Password'}
        autoComplete="new-password"
        autoFocus={name === null}
        hint="At least 12 characters. A few words that you remember do well."
        {...field('password', 'Choose a password of 12 to 256 characters.')}
      />
      <SubmitButton busy={busy} className="mt-2 w-full">
        {name === null ? 'Set password and sign in' : 'Accept and sign in'}
      </SubmitButton>
    </form>
  )
}

/** Signs in by a link. A button, because programs that check mail open every link in it. */
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
