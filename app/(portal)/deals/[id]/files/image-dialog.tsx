'use client'

import { ChevronLeft, ChevronRight } from 'lucide-react'
import { button } from '#app/ui/button-styles.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import type { DealFile } from './deal-file.ts'
import { DownloadFile } from './download-file.tsx'

/** Shows an enlarged image, to download, with links to the others. */
export function ImageDialog({
  images,
  shownId,
  onShow,
  onClose,
}: {
  images: DealFile[]
  shownId: string
  onShow: (id: string) => void
  onClose: () => void
}) {
  const at = images.findIndex(({ id }) => id === shownId)
  const image = images[at]
  if (image === undefined) return null
  const step = (by: number) => onShow(images[(at + by + images.length) % images.length]!.id)
  return (
    <Dialog title={image.name} at="wide" onClose={onClose}>
      <img
        key={image.id}
        src={image.view!.url}
        alt={image.name}
        className="max-h-[70dvh] min-h-40 w-full bg-sunken object-contain"
      />
      <div className="mt-4 flex flex-wrap gap-2">
        <DownloadFile id={image.id} name={image.name} />
      </div>
      {images.length > 1 && (
        <div className="mt-4 flex items-center justify-between gap-3">
          <button type="button" onClick={() => step(-1)} className={button.plain}>
            <ChevronLeft aria-hidden="true" className="size-4" />
            Previous
          </button>
          <p aria-live="polite" className="text-ink-soft">
            {at + 1} of {images.length}
          </p>
          <button type="button" onClick={() => step(1)} className={button.plain}>
            Next
            <ChevronRight aria-hidden="true" className="size-4" />
          </button>
        </div>
      )}
    </Dialog>
  )
}
