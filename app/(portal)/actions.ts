'use server'

import { redirect } from 'next/navigation'
import { signOut } from '#server/accounts/sign-in/sign-in.ts'

/** Ends the session of the browser that asks. */
export async function signOutHere(): Promise<never> {
  await signOut({ redirect: false })
  redirect('/sign-in')
}
