import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DealFile } from './deal-file.ts'

const ImageDialog = dynamic(() => import('./image-dialog.tsx').then((module) => module.ImageDialog), {
  ssr: false,
})

/** Shows the images among the files in a row, each of which opens large. */
export function Thumbnails({ files }: { files: DealFile[] }) {
  const images = files.filter(({ view }) => view?.kind === 'image' && view.isSmall)
  const [shownId, setShownId] = useState<string | null>(null)
  if (images.length === 0) return null
  return (
    <>
      <ul aria-label="Images" className="flex gap-2 overflow-x-auto pb-1">
        {images.map(({ id, name, view }) => (
          <li key={id} className="shrink-0">
            <button
              type="button"
              onClick={() => setShownId(id)}
              className="block overflow-hidden rounded-lg border border-line hover:border-accent"
            >
              {/* Next would fetch it for us, without the right to it. */}
              <img
                src={view!.url}
                alt={`Show ${name}`}
                loading="lazy"
                decoding="async"
                className="size-20 bg-sunken object-cover text-xs"
              />
            </button>
          </li>
        ))}
      </ul>
      {shownId !== null && (
        <ImageDialog images={images} shownId={shownId} onShow={setShownId} onClose={() => setShownId(null)} />
      )}
    </>
  )
}
