// Next looks here for what the elements of MDX pages become.
export { useMDXComponents } from './app/docs/mdx-elements.tsx'
