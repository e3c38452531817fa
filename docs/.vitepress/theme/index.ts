import { type Theme, useData } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { defineComponent, h, onMounted, watch } from 'vue'
import picture from '../../images/logged-in.png'
import '@fontsource-variable/geist/wght.css'
import { DesignSample } from './design-sample.ts'
import './style.css'
import { data as code } from './ten-lines.data.ts'

/** The code and the picture of the front page. */
const front = () =>
  h('div', { class: 'front' }, [
    h('div', { class: 'front-code vp-doc', innerHTML: code }),
    h('figure', [
      h('img', {
        src: picture,
        width: 1200,
        height: 960,
        alt: 'The account page of the example application: Ada Lovelace is logged in',
      }),
      h('figcaption', [h('code', '/account'), ' of the example, after a login']),
    ]),
  ])

/** VitePress's theme, with a front page that shows the code and a picture. */
const site: Theme = {
  extends: theme,
  enhanceApp: ({ app }) => void app.component('DesignSample', DesignSample),
  Layout: defineComponent({
    setup() {
      const { frontmatter } = useData()
      // The theme gives every page a main landmark but the front page.
      const mark = () => {
        const content = document.getElementById('VPContent')
        if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main')
        else content?.removeAttribute('role')
      }
      onMounted(mark)
      watch(frontmatter, mark, { flush: 'post' })
      return () => h(theme.Layout, null, { 'home-hero-after': front })
    },
  }),
}

export default site
