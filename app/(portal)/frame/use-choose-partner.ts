'use client'

import { useQueryClient } from '@tanstack/react-query'
import { usePathname, useRouter } from 'next/navigation'
import { toast } from '#app/ui/toast.tsx'
import { trpc } from '#app/trpc.ts'

/** Lets an operator see the portal as a partner, or with null as all of them; everything shown is then read anew. */
export function useChoosePartner() {
  const router = useRouter()
  const path = usePathname()
  const queryClient = useQueryClient()
  return trpc.accounts.choosePartner.useMutation({
    onSuccess() {
      queryClient.clear()
      // A deal of another partner would no longer be there.
      if (/^\/deals\/\d/.test(path)) router.push('/deals')
      router.refresh()
    },
    onError: () => toast.error('The partner could not be changed. Please try again.'),
  })
}
