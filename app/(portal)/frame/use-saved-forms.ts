import { useEffect } from 'react'
import { toast } from '#app/ui/toast.tsx'

/** Restores forms saved when the user's session ended, and saves form input from now on. */
export function useSavedForms(email: string): void {
  useEffect(() => {
    let isOver = false
    let stop = () => {}
    // What is typed until the rest is loaded.
    const typed: Event[] = []
    let loading: Promise<void> | null = null
    async function load() {
      // Without a connection nothing of a form is kept.
      const { watchForms } = await import('#app/saved-forms.ts').catch(() => ({ watchForms: null }))
      document.removeEventListener('input', onInput)
      if (!isOver && watchForms !== null) stop = watchForms(email, typed, tellOfDialog)
    }
    function onInput(event: Event) {
      typed.push(event)
      loading ??= load()
    }
    document.addEventListener('input', onInput)
    // Most pages are left again without a form.
    if (sessionStorage.length > 0) loading = load()
    return () => {
      isOver = true
      document.removeEventListener('input', onInput)
      stop()
    }
  }, [email])
}

const tellOfDialog = (dialog: string) =>
  void toast(`What you entered in “${dialog}” is kept. Open it again to go on.`)
