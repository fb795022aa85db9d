'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { MonitorSmartphone } from 'lucide-react'
import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { leaveFor } from '#app/leave-document.ts'
import type { Theme } from '#app/theme.ts'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button-styles.ts'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { RadioField, CheckField, FormProblem, PasswordField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { ChangePassword } from '#server/accounts/wire.ts'
import { signOut } from '../frame/sign-out.ts'
import { themeChoices, useSetDeveloper, useSetTheme } from '../frame/use-theme.ts'
import { PushPanels } from './push-panel.tsx'
import { SettingsForm } from './settings-form.tsx'

/** Shows the user's profile, theme, password and sessions. */
export function AccountPage({ theme }: { theme: Theme }) {
  const query = trpc.accounts.me.useQuery()
  return (
    <div className="mx-auto max-w-4xl">
      <h1 className="mb-5 text-xl font-semibold tracking-tight">Your account</h1>
      <QueryState what="your account" query={query} data={query.data}>
        {(me) => (
          <>
            <SettingsForm me={me} />
            <PushPanels />
            <Panel title="This browser" about="Applies here only.">
              <div className="flex flex-col gap-5">
                <ThemeChoice theme={theme} />
                <DeveloperSwitch />
              </div>
            </Panel>
            <Panel title="Password" about="Changing it signs out all your other browsers.">
              {me.hasPassword ? <ChangePasswordForm email={me.email} /> : <PasswordMissing />}
            </Panel>
            <Panel title="Sessions" about="If you don’t recognize one, sign it out and change your password.">
              <Sessions />
            </Panel>
          </>
        )}
      </QueryState>
    </div>
  )
}

function ChangePasswordForm({ email }: { email: string }) {
  const { accounts } = trpc.useUtils()
  const { register, handleSubmit, reset, setError, formState } = useForm({
    resolver: zodResolver(ChangePassword),
    defaultValues: { current: '', next: '' },
  })
  const { errors } = formState
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
      onSubmit={handleSubmit((values) => change.mutate(values))}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={change.error && problemOf(change.error)} />
      {/* Password managers save the password with this e-mail address. */}
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

/** Returns the form's problem, or undefined for a wrong password, which is shown at its field. */
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

/** Offers users without a password a link to set one. */
function PasswordMissing() {
  return (
    <>
      <p className="mb-4 text-pretty">You sign in without a password. You can set one with a link.</p>
      <Link href="/sign-in/forgot" className={`${button.plain} h-10`}>
        Get a password link
      </Link>
    </>
  )
}

const themeLabels = Object.fromEntries(themeChoices.map(({ value, label }) => [value, label])) as Record<
  Theme,
  string
>

/** Shows the choice of theme for this browser. */
function ThemeChoice({ theme }: { theme: Theme }) {
  const setTheme = useSetTheme()
  const [{ served, chosen }, choose] = useState({ served: theme, chosen: theme })
  // A palette command can also change the theme.
  if (served !== theme) choose({ served: theme, chosen: theme })
  return (
    <RadioField
      label="Theme"
      name="theme"
      choices={themeLabels}
      value={chosen}
      onChange={(value) => {
        choose({ served, chosen: value })
        setTheme(value)
      }}
    />
  )
}

/** Shows the switch for developer features. */
function DeveloperSwitch() {
  const { isDeveloper } = useViewer()
  const setDeveloper = useSetDeveloper()
  return (
    <CheckField
      label="Show developer details on deals"
      hint="All fields with their API names, IDs and coordinates."
      defaultChecked={isDeveloper}
      onChange={({ target }) => setDeveloper(target.checked)}
    />
  )
}

type Session = Outputs['accounts']['sessions'][number]

/** Lists the browsers in which the user is signed in, with buttons to sign out of one or all. */
function Sessions() {
  const { data: sessions = [], dataUpdatedAt: nowMs } = trpc.accounts.sessions.useQuery()
  const { accounts } = trpc.useUtils()
  const list = useRef<HTMLUListElement>(null)
  const end = trpc.accounts.endSession.useMutation({
    async onSettled(_, error) {
      // If the session is not found, it has already ended.
      if (error !== null && error.data?.code !== 'NOT_FOUND') return toastFailure(error)
      await accounts.sessions.invalidate()
      toast.success('Browser signed out.')
      // Move the focus, because the focused button disappears.
      list.current?.focus()
    },
  })
  return (
    <>
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Sessions"
        className="divide-y divide-line rounded-lg outline-offset-4"
      >
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            nowMs={nowMs}
            isEnding={end.isPending && end.variables.id === session.id}
            onEnd={() => end.mutate({ id: session.id })}
          />
        ))}
      </ul>
      <div className="mt-3 border-t border-line pt-5">
        <SignOutEverywhere count={sessions.length} />
      </div>
    </>
  )
}

function SessionRow({
  session: { isThis, browser, signedInAt, expiresAt },
  nowMs,
  isEnding,
  onEnd,
}: {
  session: Session
  nowMs: number
  isEnding: boolean
  onEnd: () => void
}) {
  const { formatAgo, formatInstant } = useFormat()
  const since = signedInAt.toISOString()
  const label = (
    <>
      Sign out
      <span className="sr-only">
        {' '}
        {browser}, signed in {formatAgo(since, nowMs)}
      </span>
    </>
  )
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 first:pt-0">
      <MonitorSmartphone aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="font-medium wrap-anywhere">{browser}</span>
          {isThis && <Badge tone="good">This browser</Badge>}
        </p>
        <p className="text-ink-soft">
          Signed in{' '}
          <time dateTime={since} title={formatInstant(since)}>
            {formatAgo(since, nowMs)}
          </time>
          <span className="max-sm:hidden">
            , expires <time dateTime={expiresAt.toISOString()}>{formatInstant(expiresAt)}</time>
          </span>
        </p>
      </div>
      {isThis ? (
        <form action={signOut}>
          <Button type="submit">{label}</Button>
        </form>
      ) : (
        <Button busy={isEnding} onClick={onEnd}>
          {label}
        </Button>
      )}
    </li>
  )
}

function SignOutEverywhere({ count }: { count: number }) {
  const endAll = trpc.accounts.signOutEverywhere.useMutation({
    onSuccess: () => leaveFor('/sign-in'),
    onError: toastFailure,
  })
  return (
    <Confirm
      trigger={
        <Button busy={endAll.isPending} className="h-10">
          Sign out everywhere
        </Button>
      }
      title="Sign out everywhere?"
      yes="Sign out everywhere"
      onYes={() => endAll.mutate()}
    >
      {count > 1 && `This ends all ${formatCountOf(count, 'session')}. `}You will also be signed out of this
      browser, and push notifications stop in all browsers.
    </Confirm>
  )
}
