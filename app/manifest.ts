import type { MetadataRoute } from 'next'

export default function manifest(): MetadataRoute.Manifest {
  return {
    name: 'Partner Deals',
    short_name: 'Deals',
    description: 'See where your deals stand.',
    start_url: '/',
    display: 'standalone',
    background_color: '#f7f7f4',
    theme_color: '#12664f',
    icons: [
      { src: '/icons/192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icons/512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icons/maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
}
