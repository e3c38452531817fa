import letters from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url'
import { defineComponent, h } from 'vue'
import { data as samples } from './design.data.ts'

const titles = { light: 'light colors', dark: 'dark colors' }

/** A part of the design in light and in dark colors, each a page of its own in a frame as high as its content. */
export const DesignSample = defineComponent({
  props: { name: { type: String, required: true } },
  setup: ({ name }) => {
    const fit = ({ target }: Event) => {
      const frame = target as HTMLIFrameElement
      const height = frame.contentDocument?.documentElement.scrollHeight ?? 0
      frame.style.height = `${height}px`
    }
    return () =>
      h(
        'div',
        { class: ['design', name] },
        (['light', 'dark'] as const).map((scheme) =>
          h('iframe', {
            title: `The part ${name} in ${titles[scheme]}`,
            srcdoc: samples[name]?.[scheme].replace(
              /\/assets\/geist-latin-[\da-f]+\.woff2/,
              letters,
            ),
            loading: 'lazy',
            onLoad: fit,
          }),
        ),
      )
  },
})
