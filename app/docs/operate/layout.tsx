export { GuideLayout as default } from '../guide-layout.tsx'
