'use client'

import { CircleAlert } from 'lucide-react'
import { useActionState } from 'react'
import { button } from '../ui/button.ts'
import { TextField } from '../ui/text-field.tsx'
import { signInWithPassword } from './actions.ts'
import { type Problem, problemMessage } from './problem.ts'

/** Address and password. Works without scripts as well. */
export function SignInForm({ callbackUrl, problem }: { callbackUrl: string; problem: Problem | null }) {
  const [state, submit, pending] = useActionState(signInWithPassword, { email: '', problem })
  return (
    <form action={submit} className="flex flex-col gap-4">
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
      <div role="alert" className="empty:-mb-4">
        {state.problem !== null && !pending && (
          <p className="flex gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-bad">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />{problemMessage(state.problem)}
          </p>
        )}
      </div>
      <TextField label="E-mail address" name="email" type="email" autoComplete="username" required autoFocus defaultValue={state.email} />
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
      {/* Not disabled while it works: that would take the focus from whoever signs in by keyboard. */}
      <button type="submit" aria-busy={pending} className={`${button.primary} mt-2 w-full aria-busy:opacity-60`}>{pending ? 'Signing in …' : 'Sign in'}</button>
    </form>
  )
}
