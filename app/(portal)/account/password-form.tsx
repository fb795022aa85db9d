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

/** Another password in place of the present one. */
export function PasswordForm({ email }: { email: string }) {
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
      toast.success('Your password is changed, and all other browsers are signed out.')
      await accounts.sessions.invalidate()
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST')
        setError('current', { message: 'This is not your password.' }, { shouldFocus: true })
    },
  })
  const problem =
    change.error === null || change.error.data?.code === 'BAD_REQUEST'
      ? null
      : change.error.data?.code === 'SERVICE_UNAVAILABLE'
        ? change.error.message
        : failureMessage(change.error)
  return (
    <form
      noValidate
      onSubmit={handleSubmit((values) => {
        if (!change.isPending) change.mutate(values)
      })}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={problem} />
      {/* For password managers, which keep the password together with it. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Present password"
        autoComplete="current-password"
        {...register('current')}
        error={
          errors.current &&
          (errors.current.type === undefined ? errors.current.message : 'Enter your present password.')
        }
      />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint="At least 12 characters. A few words that you remember do well."
        {...register('next')}
        error={errors.next && 'Choose a password of 12 to 256 characters.'}
      />
      <SubmitButton busy={change.isPending} className="self-start">
        Change password
      </SubmitButton>
    </form>
  )
}

/** For whoever signs in by other means. */
export function PasswordMissing() {
  return (
    <>
      <p className="mb-4 text-pretty">
        You have no password: you sign in by other means. You can set one with a link.
      </p>
      <Link href="/sign-in/forgot" className={`${button.plain} h-10`}>
        Get a link to set a password
      </Link>
    </>
  )
}
