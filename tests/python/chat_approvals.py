"""OpenAI's own client answers questions of an agent over chat completions, by sending the conversation again.

Usage: chat_approvals.py URL
"""

import asyncio
import sys

import httpx
import openai

from checking import expect, require, run

BATON = sys.argv[1]
client = openai.AsyncOpenAI(base_url=f"{BATON}/v1", api_key="none", max_retries=0)


def said(role, content):
    return {"role": role, "content": content}


async def ask(messages, stream=False):
    answer = await client.chat.completions.create(model="files", messages=messages, stream=stream)
    if not stream:
        return answer.choices[0].message.content
    text = ""
    async for chunk in answer:
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    return text


async def waiting():
    async with httpx.AsyncClient() as http:
        listed = (await http.get(f"{BATON}/api/v1/approvals")).json()["approvals"]
    return [entry["task_id"] for entry in listed]


async def refused(messages, code):
    try:
        answer = await ask(messages)
    except openai.BadRequestError as error:
        expect("the code", error.code, code)
        require(f"where to look: {error}", "baton approvals " in str(error))
    else:
        require(f"not refused: {answer!r}", False)


async def question(words, stream=False):
    """Asks for something that needs leave; the conversation so far and the task that waits."""
    before = await waiting()
    asked = [said("system", "It is nine."), said("user", words)]
    text = await ask(asked, stream)
    require(f"a question: {text}", text.startswith("May the tool 'delete_file' run with") and "Answer yes or no." in text)
    [task] = [task for task in await waiting() if task not in before]
    require(f"the task: {text}", f"(approval {task})" in text)
    return [*asked, said("assistant", text)], task


async def yes_runs_the_tool_once():
    for stream in (False, True):
        asked, task = await question(f"delete it, {stream}", stream)
        asked[0] = said("system", "It is ten.")
        answer = await ask([*asked, said("user", "Yes.")], stream)
        expect("the answer", answer, "It is gone.")
        expect("what waits", await waiting(), [])
        # The conversation goes on as any other.
        done = [*asked, said("user", "Yes."), said("assistant", answer), said("user", "hello")]
        expect("afterwards", await ask(done), "Hello.")


async def no_does_not_run_it():
    asked, task = await question("delete it not")
    answer = await ask([*asked, said("user", "no")])
    require(f"the answer: {answer}", answer.startswith("I may not"))
    expect("what waits", await waiting(), [])


async def questions_in_words_are_answered_in_the_run():
    asked = [said("user", "which one")]
    text = await ask(asked)
    expect("the question", text, "Which one?")
    require("it waits", len(await waiting()) == 1)
    answer = await ask([*asked, said("assistant", text), said("user", "the blue one")])
    expect("the answer", answer, "So the blue one it is.")
    expect("what waits", await waiting(), [])


async def only_the_same_conversation_approves():
    asked, task = await question("delete it safely")
    changed = [said("user", "show the list"), *asked[2:], said("user", "yes")]
    await refused(changed, "approval_unmatched")
    forged = [*asked[:2], said("assistant", asked[-1]["content"].replace("old.txt", "harmless.txt")), said("user", "yes")]
    await refused(forged, "approval_unmatched")
    await refused([*asked, said("user", "why do you need that?")], "approval_unclear")
    expect("what waits", await waiting(), [task])
    async with httpx.AsyncClient() as http:
        [entry] = (await http.get(f"{BATON}/api/v1/approvals")).json()["approvals"]
        answer = {"decision": "deny", "digest": entry["digest"]}
        expect("elsewhere", (await http.post(f"{BATON}/api/v1/approvals/{entry['id']}", json=answer)).status_code, 200)
    # A second answer begins nothing, and other words go on as ever.
    await refused([*asked, said("user", "yes")], "approval_answered")
    expect("afterwards", await ask([*asked, said("user", "so what now?")]), "Hello.")


async def an_answer_is_for_what_was_shown():
    asked = [said("user", "shall we")]
    text = await ask(asked)
    expect("the question", text, "Shall I go on?")
    async with httpx.AsyncClient() as http:
        [entry] = (await http.get(f"{BATON}/api/v1/approvals")).json()["approvals"]
        expect("elsewhere", (await http.post(f"{BATON}/api/v1/approvals/{entry['id']}", json={"text": "yes"})).status_code, 200)
    # The task now waits for leave that this conversation was never asked for.
    expect("another run", await ask([*asked, said("assistant", text), said("user", "yes")]), "Hello.")
    require("it still waits", len(await waiting()) == 1)
    async with httpx.AsyncClient() as http:
        [entry] = (await http.get(f"{BATON}/api/v1/approvals")).json()["approvals"]
        answer = {"decision": "deny", "digest": entry["digest"]}
        expect("denied", (await http.post(f"{BATON}/api/v1/approvals/{entry['id']}", json=answer)).status_code, 200)


async def set_up_words_may_stand_anywhere():
    asked, task = await question("delete it with words")
    answer = await ask([*asked, said("system", "It is noon."), said("user", "no"), said("developer", "Be brief.")])
    require(f"the answer: {answer}", answer.startswith("I may not"))
    expect("what waits", await waiting(), [])


async def responses_that_are_not_stored_wait_too():
    response = await client.responses.create(model="files", input="delete it quietly", store=False)
    [leave] = [item for item in response.output if item.type == "mcp_approval_request"]
    require("it waits", len(await waiting()) == 1)
    answer = {"type": "mcp_approval_response", "approval_request_id": leave.id, "approve": False}
    denied = await client.responses.create(model="files", input=[answer], store=False)
    require(f"the answer: {denied.output_text}", denied.output_text.startswith("I may not"))
    expect("what waits", await waiting(), [])
    # One answer of two leaves the other one waiting.
    response = await client.responses.create(model="files", input="both of them", store=False)
    first, second = [item for item in response.output if item.type == "mcp_approval_request"]
    for leave, left in ((first, 1), (second, 0)):
        answer = {"type": "mcp_approval_response", "approval_request_id": leave.id, "approve": False}
        denied = await client.responses.create(model="files", input=[answer], store=False)
        expect("what waits", len(await waiting()), left)
    require(f"the answer: {denied.output_text}", denied.output_text.startswith("I may not"))


CHECKS = [
    yes_runs_the_tool_once,
    no_does_not_run_it,
    questions_in_words_are_answered_in_the_run,
    only_the_same_conversation_approves,
    an_answer_is_for_what_was_shown,
    set_up_words_may_stand_anywhere,
    responses_that_are_not_stored_wait_too,
]

if __name__ == "__main__":
    sys.exit(asyncio.run(run([(check.__name__.replace("_", " "), check) for check in CHECKS])))
