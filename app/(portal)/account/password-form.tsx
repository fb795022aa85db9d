'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { Link } from '#app/ui/link.tsx'
import { PasswordField } from '#app/ui/password-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { ChangePassword } from '#server/accounts/wire.ts'

/** Shows the form that changes the user's password. */
export function ChangePasswordForm({ email }: { email: string }) {
  const { accounts } = trpc.useUtils()
  const {
    register,
    handleSubmit,
    reset,
    setError,
    formState: { errors },
  } = useForm({ resolver: zodResolver(ChangePassword), defaultValues: { current: '', next: '' } })
  const change = trpc.accounts.changePassword.useMutation({
    async onSuccess() {
      reset()
      toast.success('Password changed. All other browsers are signed out.')
      await accounts.sessions.invalidate()
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST')
        setError('current', { message: 'This is not your password.' }, { shouldFocus: true })
    },
  })
  return (
    <form
      noValidate
      onSubmit={handleSubmit((values) => {
        if (!change.isPending) change.mutate(values)
      })}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={change.error && problemOf(change.error)} />
      {/* Password managers save the password with it. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        {...register('current')}
        error={
          errors.current &&
          (errors.current.type === undefined ? errors.current.message : 'Enter your current password.')
        }
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint="At least 12 characters. A memorable passphrase works well."
        {...register('next')}
        error={errors.next && 'Choose a password of 12 to 256 characters.'}
      />
      <SubmitButton busy={change.isPending} className="self-start">
        Change password
      </SubmitButton>
    </form>
  )
}

/** Returns the form's problem; a wrong password is reported at its field. */
function problemOf(error: { message: string; data?: { code: string } | null | undefined }): string | null {
  switch (error.data?.code) {
    case 'BAD_REQUEST':
      return null
    case 'SERVICE_UNAVAILABLE':
      return error.message
    default:
      return failureMessage(error)
  }
}

/** Shows a link to set a password to users who have none. */
export function PasswordMissing() {
  return (
    <>
      <p className="mb-4 text-pretty">You sign in without a password. You can set one with a link.</p>
      <Link href="/sign-in/forgot" className={`${button.plain} h-10`}>
        Get a password link
      </Link>
    </>
  )
}
