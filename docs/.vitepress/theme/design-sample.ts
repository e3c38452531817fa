import letters from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url'
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue'
import { data as samples } from './design.data.ts'

const titles = { light: 'light colors', dark: 'dark colors' }

/** Makes each frame as high as its content. */
function fit(frames: Iterable<HTMLIFrameElement>): void {
  for (const frame of frames) {
    frame.style.height = '0'
    frame.style.height = `${frame.contentDocument?.documentElement.scrollHeight ?? 0}px`
  }
}

/** A part of the design in light and in dark colors, each a page of its own in a frame as high as its content. */
export const DesignSample = defineComponent({
  props: { name: { type: String, required: true } },
  setup: ({ name }) => {
    const box = ref<HTMLElement>()
    const fitAll = () => fit(box.value?.querySelectorAll('iframe') ?? [])
    // Frames that were loaded before this script have no further event.
    onMounted(() => {
      fitAll()
      addEventListener('resize', fitAll)
    })
    onBeforeUnmount(() => removeEventListener('resize', fitAll))
    return () =>
      h(
        'div',
        { class: ['design', name], ref: box },
        (['light', 'dark'] as const).map((scheme) =>
          h('iframe', {
            title: `The part ${name} in ${titles[scheme]}`,
            srcdoc: samples[name]?.[scheme].replace(
              /\/assets\/geist-latin-[\da-f]+\.woff2/,
              letters,
            ),
            onLoad: ({ target }: Event) => fit([target as HTMLIFrameElement]),
          }),
        ),
      )
  },
})
