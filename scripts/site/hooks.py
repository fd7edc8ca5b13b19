"""What mkdocs does not do by itself for pages that are read on GitHub too: its anchors, files that pages link to, and a
look at what was built."""

import os
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel

root = Path(os.environ["GPUBENCH_SITE_ROOT"])
link = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config):
    config.mdx_configs["toc"] = {"slugify": github_anchor}


def github_anchor(heading, _separator):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_files(files, config):
    """Files that pages link to come along; a folder becomes a page that lists it."""
    pending = [(file.src_uri, file.content_string) for file in files.documentation_pages()]
    while pending:
        source, text = pending.pop()
        for target in linked_paths(source, text):
            path = target + "/README.md" if (root / target).is_dir() else target
            if not (root / target).exists() or files.get_file_from_path(path):
                continue
            if path != target:
                names = sorted(entry.name for entry in (root / target).iterdir())
                content = f"# {target}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)
                files.append(File.generated(config, path, content=content, inclusion=InclusionLevel.NOT_IN_NAV))
                pending.append((path, content))
            else:
                files.append(File.generated(config, path, abs_src_path=str(root / path), inclusion=InclusionLevel.NOT_IN_NAV))
                if path.endswith(".md"):
                    pending.append((path, (root / path).read_text(encoding="utf-8")))
    return files


def linked_paths(source, text):
    for target, _ in link.findall(text):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if "://" not in target and not path.startswith(("..", "/")):
            yield path


def on_page_markdown(markdown, page, config, files):
    """A link to a folder leads to the page that lists it."""

    def led(match):
        target, anchor = match.groups()
        is_folder = target.split(":")[0] == target and (root / page.file.src_uri).parent.joinpath(target).is_dir()
        return f"]({target}/README.md)" if is_folder else match.group(0)

    return link.sub(led, markdown)


class Built(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src", "srcset", "data", "poster", "action") and value:
                self.loads.append(value)
            elif name == "style":
                self.loads += re.findall(r"url\(['\"]?([^)'\"]*)", value or "")


def on_post_build(config):
    """Every link within the site leads somewhere, and nothing is loaded from elsewhere."""
    site = Path(config.site_dir)
    pages = {path: Built(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    flaws = [f"{path.relative_to(site)}: {flaw}" for path, page in pages.items() for flaw in flaws_of_page(path, page, pages)]
    for path in site.rglob("*.css"):
        if re.search(r"@import|//", path.read_text(encoding="utf-8")):
            flaws.append(f"{path.relative_to(site)}: loads something from elsewhere")
    if flaws:
        raise PluginError("\n".join(flaws))


def flaws_of_page(path, page, pages):
    for target in page.links + page.loads:
        yield from flaws_of_link(target, path, pages)
    for target in page.loads:
        if urlsplit(target).netloc:
            yield f"loads {target} from elsewhere"
    yield from unread_markdown(path)


def flaws_of_link(target, path, pages):
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return
    if parts.path.startswith("/"):
        yield f"{target} leads out of a site that lies in a folder"
        return
    wanted = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    if not wanted.is_file():
        yield f"{target} leads nowhere"
    elif wanted in pages and unquote(parts.fragment) not in pages[wanted].anchors:
        yield f"{target} names no anchor there"


def unread_markdown(path):
    """Lists and tables that Markdown's readers take differently are text with marks in it."""
    for paragraph in re.findall(r"<p>(.*?)</p>", path.read_text(encoding="utf-8"), re.S):
        for line in paragraph.splitlines():
            if re.match(r"(- |\* |\d+\. |\||#+ |```)", line.strip()):
                yield f"is no list or table to all readers of Markdown; an empty line before it makes it one: {line[:60]}"
