# Glovebox: downloads packages as wheels into the folder "wheels". This sandbox reaches the package index and nothing else.
#
# argv[1]: {"index", "wheels", "requirements", "locked", "sources", "timeout_s"}; sources: names of packages that may be built where no
# wheel fits. Wheels that were built are in the folder "built". Prints what index.py, which comes before, says.
import shutil


def lacks(name, versions, _):
    """Of a package for which pip found nothing: whether the index has it, and as what."""
    import http.client
    import urllib.error
    try:
        _, text = page_of(name)
    except urllib.error.HTTPError as error:
        end("missing" if error.code in (404, 410) else "unreachable", name, versions)
    except (OSError, http.client.HTTPException):
        end("unreachable", name, versions)
    files = re.findall(r">\s*([^<>\s]+)\s*</a>", text)
    has_wheel = any(file.endswith(".whl") for file in files)
    may_build = normal(name) in wanted["sources"] and any(file.endswith(".tar.gz") for file in files)
    end("missing" if not files else "unfit" if has_wheel and not may_build else "source", name, versions)


taken = get_wheels("wheels",
                   ["--no-deps", "--require-hashes", "--requirement", "requirements.txt"] if wanted["locked"]
                   else ["--"] + wanted["requirements"], lacks, "built")
shutil.rmtree("built", ignore_errors=True)
end(of_folder=taken)
