/** The templates of the pages without a form. */
export const messages = {
  message: `<% if (it.text) { %><p><%= it.t(it.text, it.values) %></p><% } %>
<% if (it.detail) { %><p class="detail"><%= it.t('errorDetail', { detail: it.detail }) %></p><% } %>
<%~ include('@wayOn', it) %>`,

  outbox: `<p class="soft"><%= it.t('outboxText') %></p>
<% if (it.mails.length === 0) { %><p><%= it.t('outboxEmpty') %></p><% } %>
<% it.mails.forEach(function (mail) { %>
<article>
<h2><%= mail.subject %></h2>
<p class="detail"><%= it.t('outboxTo') %> <%= mail.to %> · <time datetime="<%= mail.at %>Z"><%= mail.at.replace('T', ' ') %> UTC</time></p>
<pre><%= mail.text %></pre>
<% if (mail.link) { %><p class="below"><a class="button" href="<%= mail.link %>"><%= mail.subject %></a></p><% } %>
</article>
<% }) %>`,
}
