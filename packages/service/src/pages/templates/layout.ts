/** What surrounds every page: the tenant's name above, help below. */
export const layout = `<!doctype html>
<html lang="<%= it.look.language %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title><%= it.title %><% if (it.look.companyName) { %> · <%= it.look.companyName %><% } %></title>
<style><%~ it.style %></style>
</head>
<body>
<% if (it.brand) { %>
<header class="brand"><span class="mark" aria-hidden="true"><%= it.initial %></span><span><%= it.brand %></span></header>
<% } %>
<main<% if (it.wide) { %> class="wide"<% } %>>
<h1><%= it.title %></h1>
<%~ it.body %>
</main>
<% if (it.support) { %>
<footer><%= it.support[0] %><a href="mailto:<%= it.look.supportEmail %>"><%= it.look.supportEmail %></a><%= it.support[1] %></footer>
<% } %>
</body>
</html>
`

/** What went wrong, is still to come or went well, read out at once by a screen reader. */
export const note = `<% if (it.problem) { %>
<p class="note bad" role="alert" id="problem"><%= it.problem %></p>
<% } %><% if (it.info) { %>
<p class="note plain" role="status"><%= it.info %></p>
<% } %><% if (it.notice) { %>
<p class="note good" role="status"><%= it.notice %></p>
<% } %>`

/** The button that leads on, where there is a way. */
export const wayOn = `<% if (it.wayOn) { %>
<p class="below"><a class="button" href="<%= it.wayOn.href %>"><%= it.t(it.wayOn.text, it.wayOn.values) %></a></p>
<% } %>`

/** A labelled input. */
export const field = `<div class="field">
<label for="<%= it.name %>"><%= it.label %><% if (it.optional) { %> <span class="hint">(<%= it.optional %>)</span><% } %></label>
<input id="<%= it.name %>" name="<%= it.name %>" type="<%= it.type %>" value="<%= it.value || '' %>" autocomplete="<%= it.autocomplete %>"<% if (it.type === 'email') { %> autocapitalize="none" spellcheck="false" maxlength="254"<% } %><% if (!it.optional) { %> required<% } %><% if (it.focus) { %> autofocus<% } %><% if (it.invalid) { %> aria-invalid="true"<% } %><% if (it.describedBy) { %> aria-describedby="<%= it.describedBy %>"<% } %>>
<% if (it.hint) { %><p class="hint" id="<%= it.name %>-hint"><%= it.hint %></p><% } %>
</div>`
