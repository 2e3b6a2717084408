def files(api):
    return {}
