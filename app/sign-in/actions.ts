'use server'

import { redirect } from 'next/navigation'
import { SignInRefused, signIn } from '#server/accounts/sign-in.ts'
import { localPath } from './local-path.ts'
import { type Problem, problemOf } from './problem.ts'

/** What the form shows after a try: what was typed as the address, and what was wrong. */
export interface SignInState {
  email: string
  problem: Problem | null
}

/** Signs in with what the form holds and goes on to the page that was asked for. */
export async function signInWithPassword(_: SignInState, form: FormData): Promise<SignInState> {
  const [email, password] = ['email', 'password'].map((name) => String(form.get(name) ?? ''))
  try {
    await signIn('credentials', { email, password, redirect: false, redirectTo: '/deals' })
  } catch (error) {
    return { email: email!, problem: problemOf(error instanceof SignInRefused ? error.code : null) }
  }
  redirect(localPath(form.get('callbackUrl')))
}
